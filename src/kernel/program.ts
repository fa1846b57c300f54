/** Steps of a CPU as calls of the harness and the tree; mistakes are refused here, with the step they are in. */
import { accessExecute, accessWrite } from '../machine/hardware';
import type { TaskCall } from '../vm/tasks';
import { timesAtMost } from '../vm/tasks';
import type { ExitPath, Step } from './world';
import { WorldError, worldLimits } from './world';

/** Numbers of system calls of x86-64. */
const numbers = { mmap: 9, mprotect: 10, munmap: 11, madvise: 28, getpid: 39, fork: 57 } as const;
const madvDontneed = 4n;
const protWrite = 2n;
const pageSize = 4096n;

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

/** Names of barriers → CPUs that name them. */
export function barriersOf(programs: readonly (readonly Step[])[]): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const look = (steps: readonly Step[], cpu: number): void => {
    for (const step of steps) {
      if (step.kind === 'repeat') look(step.steps, cpu);
      if (step.kind !== 'barrier') continue;
      const cpus = found.get(step.name) ?? new Set();
      found.set(step.name, cpus.add(cpu));
    }
  };
  programs.forEach(look);
  return found;
}

export const spins = (steps: readonly Step[]): boolean =>
  steps.some(step => step.kind === 'spin' || (step.kind === 'repeat' && spins(step.steps)));

/** Pages that the steps of all CPUs may have mapped at once, at most. */
export function pagesOf(steps: readonly Step[]): number {
  let pages = 0;
  for (const step of steps) {
    if (step.kind === 'repeat') pages += pagesOf(step.steps);
    else if (step.kind === 'touch') pages += step.pages;
  }
  return pages;
}

export class ProgramBuilder {
  private readonly calls: TaskCall[] = [];
  /** A kernel thread runs here. */
  private lazy: boolean;

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
    this.call(path, exit === 'nostack' ? 'world_syscall_nostack' : 'world_syscall', a, b, c, BigInt(nr));
  }

  private one(step: Exclude<Step, { kind: 'repeat' }>, path: readonly number[]): void {
    if ('pages' in step) checkRange(step.start, step.pages, path);
    const inKernel = new Set<Step['kind']>([
      'switch',
      'lazy',
      'reclaim',
      'nmi',
      'barrier',
      'measure',
      'spin',
    ]);
    if (this.lazy && !inKernel.has(step.kind))
      throw new WorldError(
        `a kernel thread runs on CPU ${this.cpu}: '${step.kind}' needs a switch to a space first`,
        path,
      );
    const length = 'pages' in step ? BigInt(step.pages) * pageSize : 0n;
    switch (step.kind) {
      case 'touch': {
        const kind = (step.write ? accessWrite : 0) | (step.execute ? accessExecute : 0);
        return this.call(path, 'world_touch', step.start, step.start + length, BigInt(kind));
      }
      case 'map':
        return this.syscall(path, numbers.mmap, step.exit, [
          ...[step.start, length, (step.writable ?? true) ? protWrite : 0n],
        ]);
      case 'unmap':
        return this.syscall(path, numbers.munmap, step.exit, [step.start, length]);
      case 'madvise':
        return this.syscall(path, numbers.madvise, step.exit, [step.start, length, madvDontneed]);
      case 'mprotect':
        return this.syscall(path, numbers.mprotect, step.exit, [
          ...[step.start, length, step.writable ? protWrite : 0n],
        ]);
      case 'fork':
        return this.syscall(path, numbers.fork, step.exit, [this.space(step.into, path)]);
      case 'reclaim':
        return this.call(
          ...([path, 'world_reclaim', this.space(step.space, path)] as const),
          ...[step.start, step.start + length],
        );
      case 'switch': {
        const task = this.addresses.task(step.space, this.cpu);
        if (task === null) throw new WorldError(`there is no space '${step.space}'`, path);
        this.lazy = false;
        return this.call(path, 'world_switch', task);
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

  private enter(step: Extract<Step, { kind: 'enter' }>, path: readonly number[]): void {
    switch (step.by) {
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
export function checkRange(start: bigint, pages: number, path: readonly number[]): void {
  if (!Number.isInteger(pages) || pages < 1 || pages > worldLimits.pages)
    throw new WorldError(`a range has 1 to ${worldLimits.pages} pages, not ${pages}`, path);
  if (start < 0n || start % pageSize !== 0n || start + BigInt(pages) * pageSize > 1n << 47n)
    throw new WorldError(
      `a range begins at a multiple of 4096 below 2^47, not at 0x${start.toString(16)}`,
      path,
    );
}
