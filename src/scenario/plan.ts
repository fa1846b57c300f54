/** What the CPUs of one run do: a scenario under one value of each parameter, as a world takes it. */
import type {
  AddressSpace,
  CallRange,
  CpuStart,
  DirectWork,
  EntryPath,
  ExitPath,
  PageShift,
  Range,
  Step as WorldStep,
} from '../kernel/world';
import { valueOf, type Expression } from './expression';
import type { Scenario, Step } from './model';

/** Where the region of every space begins; a page table of its own begins there at every level. */
export const regionStart = 0x7f00_0000_0000n;

export interface Plan {
  readonly spaces: readonly AddressSpace[];
  readonly start: readonly CpuStart[];
  readonly programs: readonly (readonly WorldStep[])[];
  /** Per CPU, the steps that `programs` was made of: a path of indexes leads to the same step in both. */
  readonly sources: readonly (readonly Step[])[];
}

type Parameters = ReadonlyMap<string, number>;

function compute(expression: Expression, parameters: Parameters): number {
  const value = valueOf(expression, parameters);
  // The checker has computed every expression under every value.
  if (typeof value === 'string') throw new Error(`${expression.text}: ${value}`);
  return value;
}

class StepPlanner {
  constructor(
    private readonly parameters: Parameters,
    private readonly pageShift: PageShift,
  ) {}

  private number(step: Step, key: string): number {
    return compute(step.numbers.get(key)!, this.parameters);
  }

  private range(step: Step): Range {
    const { pageShift } = this;
    const start = regionStart + (BigInt(this.number(step, 'from')) << BigInt(pageShift));
    return { start, pages: this.number(step, 'pages'), pageShift };
  }

  private calls(step: Step): CallRange {
    const each = this.number(step, 'each');
    return { ...this.range(step), ...(each > 0 ? { each } : {}) };
  }

  list(steps: readonly Step[]): WorldStep[] {
    return steps.map(step => this.one(step));
  }

  private one(step: Step): WorldStep {
    const word = (key: string): string => step.words.get(key)!;
    const exit = (): { exit: ExitPath } => ({ exit: word('exit') === 'nostack' ? 'nostack' : 'stack' });
    switch (step.name) {
      case 'touch':
        return {
          ...{ kind: 'touch', write: word('access') === 'write', execute: word('access') === 'execute' },
          ...this.range(step),
        };
      case 'map':
        return {
          ...{ kind: 'map', writable: word('protection') === 'read-write' },
          ...this.range(step),
          ...exit(),
        };
      case 'unmap':
      case 'madvise':
        return { kind: step.name, ...this.calls(step), ...exit() };
      case 'mprotect':
        return {
          ...{ kind: 'mprotect', writable: word('protection') === 'read-write' },
          ...this.calls(step),
          ...exit(),
        };
      case 'fork':
        return { kind: 'fork', into: word('into'), ...exit() };
      case 'reclaim':
        return { kind: 'reclaim', space: word('space'), ...this.range(step) };
      case 'direct':
        return {
          ...{ kind: 'direct', do: word('do') as DirectWork },
          ...{ first: this.number(step, 'from'), count: this.number(step, 'pages') },
        };
      case 'switch':
        return { kind: 'switch', space: word('space') };
      case 'enter':
        return { kind: 'enter', by: word('by') as EntryPath, ...exit(), steps: this.list(step.steps) };
      case 'nmi':
        return { kind: 'nmi', cpu: this.number(step, 'cpu') };
      case 'barrier':
        return { kind: 'barrier', name: word('name') };
      case 'repeat':
        return { kind: 'repeat', times: this.number(step, 'times'), steps: this.list(step.steps) };
      case 'user':
        return { kind: 'spin' };
      case 'lazy':
      case 'measure':
        return { kind: step.name };
    }
  }
}

/** CPUs without a task run a kernel thread on no address space: nobody has to tell them of a flush. */
export function planRun(scenario: Scenario, parameters: Parameters): Plan {
  const pageShift = scenario.spaces[0]?.pageShift ?? 12;
  const planner = new StepPlanner(parameters, pageShift);
  const start: CpuStart[] = Array.from({ length: scenario.cpus }, () => ({ space: null }));
  const programs: WorldStep[][] = start.map(() => []);
  const sources: (readonly Step[])[] = start.map(() => []);
  for (const { first, last, steps, space, lazy, warm } of scenario.tasks) {
    const program = planner.list(steps);
    const pages = compute(warm, parameters);
    for (let cpu = compute(first, parameters); cpu <= compute(last, parameters); cpu++) {
      start[cpu] = { space, lazy, warm: pages > 0 ? [{ start: regionStart, pages, pageShift }] : [] };
      programs[cpu] = program;
      sources[cpu] = steps;
    }
  }
  const spaces = scenario.spaces.map(({ name, pages, writable, populated }) => {
    const count = compute(pages, parameters);
    const region = { start: regionStart, pages: count, pageShift, writable, populated };
    return { name, regions: count > 0 ? [region] : [] };
  });
  return { spaces, start, programs, sources };
}

/** The step at a path of indexes that begins with the CPU; null where there is none. */
export function stepAt(plan: Plan, path: readonly number[]): Step | null {
  const [cpu, ...rest] = path;
  let steps = plan.sources[cpu ?? -1] ?? [];
  let found: Step | null = null;
  for (const index of rest) {
    found = steps[index] ?? null;
    steps = found?.steps ?? [];
  }
  return found;
}
