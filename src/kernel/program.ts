/** Steps of a CPU as calls of the harness and the tree; mistakes are refused here, with the step they are in. */
import { accessExecute, accessWrite } from '../machine/hardware';
import type { TaskCall } from '../vm/tasks';
import { timesAtMost } from '../vm/tasks';
import type { CallRange, EntryPath, ExitPath, PageShift, Range, Step } from './world';
import { directMapPages, directWorks, WorldError, worldLimits } from './world';

/** Numbers of system calls of x86-64. */
const numbers = { mmap: 9, mprotect: 10, munmap: 11, madvise: 28, getpid: 39, fork: 57 } as const;
const madvDontneed = 4n;
const protWrite = 2n;
const mapHugetlb = 0x4_0000n;

/** Addresses that calls need, once the program is linked. */
export interface Addresses {
  /** Address of the mm of a space; null: no such space. */
  mm(space: string): bigint | null;
  /** Address of this CPU's task in a space, and of its kernel thread. */
  task(space: string, cpu: number): bigint | null;
  idle(cpu: number): bigint;
  /** Address of the counter of a barrier, and how many CPUs name it. */
  barrier(name: string): { readonly address: bigint; readonly parties: number };
  readonly cpus: number;
  /** Programs without a `spin`. */
  readonly finishing: number;
}

/** Steps that lie in a step. */
const innerSteps = (step: Step): readonly Step[] =>
  step.kind === 'repeat' || step.kind === 'enter' ? (step.steps ?? []) : [];

/** Names of barriers → CPUs that name them. */
export function barriersOf(programs: readonly (readonly Step[])[]): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const look = (steps: readonly Step[], cpu: number): void => {
    for (const step of steps) {
      look(innerSteps(step), cpu);
      if (step.kind !== 'barrier') continue;
      const cpus = found.get(step.name) ?? new Set();
      found.set(step.name, cpus.add(cpu));
    }
  };
  programs.forEach(look);
  return found;
}

export const spins = (steps: readonly Step[]): boolean =>
  steps.some(step => step.kind === 'spin' || spins(innerSteps(step)));

/** Pages of a size that the steps of all CPUs may have mapped at once, at most. */
export function pagesOf(steps: readonly Step[], size: PageShift): number {
  let pages = 0;
  for (const step of steps) {
    pages += pagesOf(innerSteps(step), size);
    if (step.kind === 'touch' && (step.pageShift ?? 12) === size) pages += step.pages;
  }
  return pages;
}

/** Steps that a kernel thread can take as well. */
const threadToo: ReadonlySet<Step['kind']> = new Set([
  ...(['switch', 'lazy', 'reclaim', 'direct', 'nmi', 'barrier', 'measure', 'spin'] as const),
]);
/** Steps that are not taken within an `enter`. */
const userOnly: ReadonlySet<Step['kind']> = new Set(['touch', 'spin', 'lazy']);

export class ProgramBuilder {
  private readonly calls: TaskCall[] = [];
  /** A kernel thread runs here. */
  private lazy: boolean;
  /** How the kernel was entered, between the way in and the way out of an `enter` with steps. */
  private inside: EntryPath | null = null;

  constructor(
    private readonly cpu: number,
    startsLazy: boolean,
    private readonly addresses: Addresses,
  ) {
    this.lazy = startsLazy;
  }

  build(steps: readonly Step[]): TaskCall[] {
    this.add(steps, [this.cpu]);
    if (steps.length > 0 && !spins(steps)) this.call([], 'world_finish');
    return this.calls;
  }

  private add(steps: readonly Step[], path: readonly number[]): void {
    steps.forEach((step, at) => {
      if (step.kind === 'repeat') this.repeat(step, [...path, at]);
      else this.one(step, [...path, at]);
    });
  }

  private repeat(step: Extract<Step, { kind: 'repeat' }>, path: readonly number[]): void {
    const { times } = step;
    if (!Number.isInteger(times) || times < 0 || times > timesAtMost)
      throw new WorldError(`steps are repeated 0 to ${timesAtMost} times, not ${times}`, path);
    if (times === 0) return;
    const before = this.calls.length;
    this.add(step.steps, path);
    const made = this.calls.slice(before);
    if (made.length === 1 && (made[0]!.times ?? 1) === 1) {
      this.calls[before] = { ...made[0]!, times };
      return;
    }
    for (let time = 1; time < times && made.length > 0; time++) {
      if (this.calls.length + made.length > worldLimits.calls)
        throw new WorldError(
          `a CPU makes at most ${worldLimits.calls} calls after repetition of groups; a single step can be repeated oftener`,
          path,
        );
      this.calls.push(...made);
    }
  }

  private call(path: readonly number[], name: string, ...args: bigint[]): void {
    if (this.calls.length >= worldLimits.calls)
      throw new WorldError(`a CPU makes at most ${worldLimits.calls} calls`, path);
    this.calls.push({ function: name, args });
  }

  private syscall(
    path: readonly number[],
    nr: number,
    exit: ExitPath | undefined,
    args: readonly bigint[],
  ): void {
    const [a = 0n, b = 0n, c = 0n] = args;
    if (this.inside && exit === 'nostack')
      throw new WorldError("within an 'enter' there is one way out: that of the 'enter'", path);
    const call = exit === 'nostack' ? 'world_syscall_nostack' : 'world_syscall';
    this.call(path, this.inside ? 'world_work' : call, a, b, c, BigInt(nr));
  }

  private one(step: Exclude<Step, { kind: 'repeat' }>, path: readonly number[]): void {
    if ('pages' in step) checkRange(step, path);
    if (this.lazy && !threadToo.has(step.kind))
      throw new WorldError(
        `a kernel thread runs on CPU ${this.cpu}: '${step.kind}' needs a switch to a space first`,
        path,
      );
    if (this.inside && userOnly.has(step.kind))
      throw new WorldError(`'${step.kind}' is not done in the kernel: put it behind the 'enter'`, path);
    const shift = 'pages' in step ? (step.pageShift ?? 12) : 12;
    const length = 'pages' in step ? BigInt(step.pages) << BigInt(shift) : 0n;
    switch (step.kind) {
      case 'touch': {
        const kind = (step.write ? accessWrite : 0) | (step.execute ? accessExecute : 0);
        return this.call(
          ...([path, 'world_touch', step.start, step.start + length, BigInt(kind)] as const),
          1n << BigInt(shift),
        );
      }
      case 'map': {
        const huge = shift === 21 ? mapHugetlb : 0n;
        return this.syscall(path, numbers.mmap, step.exit, [
          ...[step.start, length, huge | ((step.writable ?? true) ? protWrite : 0n)],
        ]);
      }
      case 'unmap':
        return this.pieces(step, path, numbers.munmap, 0n);
      case 'madvise':
        return this.pieces(step, path, numbers.madvise, madvDontneed);
      case 'mprotect':
        return this.pieces(step, path, numbers.mprotect, step.writable ? protWrite : 0n);
      case 'fork':
        return this.syscall(path, numbers.fork, step.exit, [this.space(step.into, path)]);
      case 'reclaim':
        return this.call(
          ...([path, 'world_reclaim', this.space(step.space, path)] as const),
          ...[step.start, step.start + length],
        );
      case 'direct':
        if (step.first < 0 || step.count < 1 || step.first + step.count > directMapPages)
          throw new WorldError(`the direct map of the model has pages 0 to ${directMapPages - 1}`, path);
        return this.call(
          ...([path, 'world_direct', BigInt(step.first), BigInt(step.count)] as const),
          BigInt(directWorks.indexOf(step.do)),
        );
      case 'switch': {
        const task = this.addresses.task(step.space, this.cpu);
        if (task === null) throw new WorldError(`there is no space '${step.space}'`, path);
        this.lazy = false;
        if (this.inside === 'paranoid')
          throw new WorldError('a paranoid entry goes back to where it came from: no switch in it', path);
        return this.call(path, this.inside ? 'world_reschedule' : 'world_switch', task);
      }
      case 'lazy':
        this.lazy = true;
        return this.call(path, 'world_lazy', this.addresses.idle(this.cpu));
      case 'enter':
        return this.enter(step, path);
      case 'nmi':
        if (!Number.isInteger(step.cpu) || step.cpu < 0 || step.cpu >= this.addresses.cpus)
          throw new WorldError(`there is no CPU ${step.cpu}: there are ${this.addresses.cpus}`, path);
        return this.call(path, 'world_nmi_to', BigInt(step.cpu));
      case 'spin':
        return this.call(path, 'world_spin', BigInt(this.addresses.finishing));
      case 'barrier': {
        const { address, parties } = this.addresses.barrier(step.name);
        return this.call(path, 'world_barrier', address, BigInt(parties));
      }
      case 'measure':
        return this.call(path, 'world_measure_from_here');
    }
  }

  /** One call for the range, or one for each `each` pages of it. */
  private pieces(
    step: CallRange & { readonly exit?: ExitPath },
    path: readonly number[],
    nr: number,
    last: bigint,
  ): void {
    const { start, pages, pageShift = 12, each = pages, exit } = step;
    if (!Number.isInteger(each) || each < 1 || each > worldLimits.pages)
      throw new WorldError(`a call has 1 to ${worldLimits.pages} pages, not ${each}`, path);
    const bytes = (count: number): bigint => BigInt(count) << BigInt(pageShift);
    for (let at = 0; at < pages; at += each)
      this.syscall(path, nr, exit, [start + bytes(at), bytes(Math.min(each, pages - at)), last]);
  }

  private enter(step: Extract<Step, { kind: 'enter' }>, path: readonly number[]): void {
    const { by, exit, steps = [] } = step;
    if (exit === 'nostack' && by !== 'syscall')
      throw new WorldError('only a system call goes back without a stack', path);
    if (this.inside && by === 'syscall') throw new WorldError('the kernel makes no system calls', path);
    if (steps.length > 0) {
      if (this.inside) throw new WorldError("an 'enter' with steps does not lie in another one", path);
      if (by === 'nmi')
        throw new WorldError('an NMI has no steps: it neither waits nor changes memory', path);
      const paranoid = by === 'paranoid' ? '_paranoid' : '';
      this.call(path, `world_begin${paranoid}`);
      this.inside = by;
      this.add(steps, path);
      this.inside = null;
      return this.call(path, `world_end${exit === 'nostack' ? '_nostack' : paranoid}`);
    }
    switch (by) {
      case 'syscall':
        return this.syscall(path, numbers.getpid, step.exit, []);
      case 'interrupt':
        return this.call(path, 'world_interrupt_here');
      case 'nmi':
        return this.call(path, 'world_nmi_to', BigInt(this.cpu));
      case 'paranoid':
        return this.call(path, 'world_paranoid');
    }
  }

  private space(name: string, path: readonly number[]): bigint {
    const mm = this.addresses.mm(name);
    if (mm === null) throw new WorldError(`there is no space '${name}'`, path);
    return mm;
  }
}

/** A range of user addresses, page by page. */
export function checkRange({ start, pages, pageShift = 12 }: Range, path: readonly number[]): void {
  if (!Number.isInteger(pages) || pages < 1 || pages > worldLimits.pages)
    throw new WorldError(`a range has 1 to ${worldLimits.pages} pages, not ${pages}`, path);
  const size = 1n << BigInt(pageShift);
  if (start < 0n || start % size !== 0n || start + BigInt(pages) * size > 1n << 47n)
    throw new WorldError(
      `a range begins at a multiple of ${size} below 2^47, not at 0x${start.toString(16)}`,
      path,
    );
}
