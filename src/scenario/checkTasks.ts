/** The tasks of a scenario and their steps. */
import type { Findings, Node } from './json';
import { flagOf, itemsOf, kindOf, membersOf, nameOf, shown } from './json';
import { limits } from './limits';
import type { ScenarioSpace, ScenarioTask, Step } from './model';
import { valueOf, type Expression } from './expression';
import { combinations, constant, type Ranges } from './ranges';
import type { Field, StepName } from './stepShapes';
import { fieldsOf, nesting, notWithin, stepNames } from './stepShapes';

const isStep = (name: string): name is StepName => (stepNames as readonly string[]).includes(name);

/** Steps that the model kernel has not for pages of 2M: those are not shared, and not reclaimed. */
const smallPagesOnly: ReadonlySet<StepName> = new Set<StepName>(['fork', 'reclaim']);

const taskMembers = ['cpu', 'cpus', 'space', 'lazy', 'warm', 'steps'];

class TaskChecker {
  /** Steps as written, of all tasks. */
  private written = 0;
  /** How the kernel was entered, in the steps of an `enter`. */
  private within: string | null = null;

  constructor(
    private readonly cpus: number,
    private readonly spaces: readonly ScenarioSpace[],
    private readonly ranges: Ranges,
    private readonly findings: Findings,
  ) {}

  /** `{ "cpu": 0, "space": "a", "steps": […] }`, or `"cpus": [1, "responders"]`. */
  task(node: Node): ScenarioTask | null {
    const { findings } = this;
    if (node.type !== 'object') {
      findings.at(node, `a task is an object, not ${kindOf(node)}`);
      return null;
    }
    const members = membersOf(node, findings);
    for (const [key, { name }] of members)
      if (!taskMembers.includes(key))
        findings.at(name, `a task has no '${shown(key)}'; it has ${taskMembers.join(', ')}`);
    const cpu = members.get('cpu')?.value;
    const cpus = members.get('cpus')?.value;
    const space = members.get('space')?.value;
    const lazy = members.get('lazy')?.value;
    const warm = members.get('warm')?.value;
    const steps = members.get('steps')?.value;
    if (!cpu === !cpus) findings.add(node.offset, 1, "a task has either 'cpu' or 'cpus'");
    if (!steps) findings.add(node.offset, 1, "the task has no 'steps'");
    const [first, last] = cpu ? this.single(cpu) : cpus ? this.several(cpus) : [constant(0), constant(0)];
    const list = steps ? this.list(steps, 'steps') : [];
    const expanded = this.expandedSteps(list);
    if (steps && expanded > limits.expandedSteps)
      findings.at(
        steps,
        `a task has at most ${limits.expandedSteps} steps once its repetitions are written out, not ${expanded}`,
      );
    return {
      ...{ first, last, steps: list, offset: node.offset, line: findings.lineOf(node.offset) },
      space: space ? this.space(space) : (this.spaces[0]?.name ?? ''),
      lazy: lazy ? flagOf(lazy, "'lazy'", findings) : false,
      warm: warm ? this.ranges.read(warm, "'warm'", { least: 0, most: limits.pages }) : constant(0),
    };
  }

  /** log2 of the size of a page. */
  private get shift(): number {
    return this.spaces[0]?.pageShift ?? 12;
  }

  /** The name of a space of the scenario. */
  private space(node: Node): string {
    const name = nameOf(node, 'a space', this.findings);
    if (name !== null && !this.spaces.some(space => space.name === name))
      this.findings.at(node, `there is no space '${shown(name)}'`);
    return name ?? '';
  }

  private cpuBounds(node: Node, least: number): Expression {
    const expression = this.ranges.read(node, 'a CPU', null);
    const message = this.ranges.every(expression, value =>
      value < least || value >= this.cpus
        ? `there is no CPU ${value}: the scenario has CPUs 0 to ${this.cpus - 1}`
        : null,
    );
    if (message !== null) this.findings.at(node, message);
    return expression;
  }

  private single(node: Node): [Expression, Expression] {
    const expression = this.cpuBounds(node, 0);
    return [expression, expression];
  }

  private several(node: Node): [Expression, Expression] {
    const items = itemsOf(node, 'cpus', 2, 2, this.findings);
    if (items.length !== 2) {
      if (node.type === 'array') this.findings.at(node, 'cpus is a list of the first and the last CPU');
      return [constant(0), constant(0)];
    }
    // [1, 0] are no CPUs: a sweep over the number of responders may begin at none.
    return [this.cpuBounds(items[0]!, 0), this.cpuBounds(items[1]!, -1)];
  }

  private list(node: Node, what: string): Step[] {
    return itemsOf(node, what, 1, limits.steps, this.findings).flatMap(item => this.step(item) ?? []);
  }

  private step(node: Node): Step | null {
    const { findings } = this;
    if (++this.written > limits.steps) {
      if (this.written === limits.steps + 1)
        findings.at(node, `the tasks of a scenario have at most ${limits.steps} steps`);
      return null;
    }
    if (node.type !== 'object') {
      findings.at(node, `a step is an object such as { "touch": {} }, not ${kindOf(node)}`);
      return null;
    }
    const members = [...membersOf(node, findings)];
    const [first] = members;
    if (members.length !== 1 || !first) {
      findings.at(node, `a step has one member, its name, not ${members.length}`);
      return null;
    }
    const [name, { name: at, value }] = first;
    if (!isStep(name)) {
      findings.at(at, `there is no step '${shown(name)}'; there are ${stepNames.join(', ')}`);
      return null;
    }
    if (value.type !== 'object') {
      findings.at(value, `what '${name}' does is said in an object, not ${kindOf(value)}`);
      return null;
    }
    if (this.within !== null && notWithin.has(name))
      findings.at(at, `'${name}' is not done in the kernel: put it behind the 'enter'`);
    return this.fields(name, at, value);
  }

  /** What cannot be within an `enter`, or cannot be said of one. */
  private entry(
    at: Node,
    words: ReadonlyMap<string, string>,
    given: ReadonlyMap<string, { value: Node }>,
  ): void {
    const { findings } = this;
    const by = words.get('by') ?? '';
    const exit = given.get('exit')?.value;
    const inner = given.get('steps')?.value;
    if (exit && by !== 'syscall') findings.at(exit, "only a system call has an 'exit' to choose");
    if (inner && by === 'nmi') findings.at(inner, 'an NMI has no steps: it neither waits nor changes memory');
    if (this.within === null) return;
    if (by === 'syscall') findings.at(at, 'the kernel makes no system calls');
    if (inner) findings.at(inner, "an 'enter' with steps does not lie in another one");
  }

  private fields(name: StepName, at: Node, node: Node): Step {
    const { findings } = this;
    const fields = fieldsOf(name);
    const members = membersOf(node, findings);
    const allowed = [...fields.keys(), ...(nesting.has(name) ? ['steps'] : [])];
    for (const [key, member] of members)
      if (!allowed.includes(key))
        findings.at(
          member.name,
          `'${name}' has no '${shown(key)}'; it has ${allowed.join(', ') || 'no members'}`,
        );
    const numbers = new Map<string, Expression>();
    const words = new Map<string, string>();
    const flags = new Map<string, boolean>();
    for (const [key, field] of fields) {
      const value = members.get(key)?.value;
      if (!value) {
        if (field.kind === 'name' || (field.kind !== 'flag' && field.default === null))
          findings.at(at, `'${name}' has no '${key}'`);
        else if (field.kind === 'number') numbers.set(key, constant(field.default!));
        else if (field.kind === 'word') words.set(key, field.default!);
        else flags.set(key, field.default);
        continue;
      }
      if (key === 'cpu') numbers.set(key, this.cpuBounds(value, 0));
      else if (key === 'stride')
        numbers.set(key, this.ranges.read(value, "'stride'", { least: this.shift, most: this.shift }));
      else if (field.kind === 'number') numbers.set(key, this.ranges.read(value, `'${key}'`, field));
      else if (field.kind === 'flag') flags.set(key, flagOf(value, `'${key}'`, findings));
      else words.set(key, this.word(value, key, field));
    }
    if (this.shift !== 12 && smallPagesOnly.has(name))
      findings.at(at, `'${name}' is there for pages of 4K only`);
    const inner = members.get('steps')?.value;
    if (name === 'repeat' && !inner) findings.at(at, "'repeat' has no 'steps'");
    const exit = members.get('exit')?.value;
    if (this.within !== null && exit && name !== 'enter')
      findings.at(exit, "within an 'enter' there is one way out: that of the 'enter'");
    if (this.within === 'paranoid' && name === 'switch')
      findings.at(at, 'a paranoid entry goes back to where it came from: no switch in it');
    if (name === 'enter') this.entry(at, words, members);
    const outside = this.within;
    if (name === 'enter') this.within = words.get('by') ?? '';
    const steps = nesting.has(name) && inner ? this.list(inner, 'steps') : [];
    this.within = outside;
    return { name, numbers, words, flags, steps, offset: at.offset, line: findings.lineOf(at.offset) };
  }

  private word(node: Node, key: string, field: Field): string {
    if (field.kind !== 'word')
      return key === 'name' ? (nameOf(node, `'${key}'`, this.findings) ?? '') : this.space(node);
    const value: unknown = node.value;
    if (typeof value === 'string' && field.oneOf.includes(value)) return value;
    const said = typeof value === 'string' ? `'${shown(value)}'` : kindOf(node);
    this.findings.at(node, `'${key}' is one of ${field.oneOf.join(', ')}, not ${said}`);
    return '';
  }

  /** Steps of a list once repetitions are written out, at most; stays a finite number. */
  private expandedSteps(steps: readonly Step[]): number {
    let count = 0;
    for (const step of steps)
      count +=
        step.name === 'repeat'
          ? this.ranges.greatest(step.numbers.get('times') ?? constant(0)) * this.expandedSteps(step.steps)
          : 1 + this.expandedSteps(step.steps);
    return count;
  }
}

/** Two tasks of one CPU would have no order. */
function checkDistinct(tasks: readonly ScenarioTask[], ranges: Ranges, findings: Findings): void {
  for (const values of combinations(ranges.parameters)) {
    const taken = new Set<number>();
    for (const { first, last, offset } of tasks) {
      const from = valueOf(first, values);
      const to = valueOf(last, values);
      if (typeof from === 'string' || typeof to === 'string') return;
      for (let cpu = from; cpu <= to; cpu++) {
        if (taken.has(cpu)) return findings.add(offset, 1, `CPU ${cpu} has a task already`);
        taken.add(cpu);
      }
    }
  }
}

/** `[{ "cpu": 0, "steps": [{ "madvise": { "pages": "n" } }] }]`. */
export function checkTasks(
  node: Node,
  cpus: number,
  spaces: readonly ScenarioSpace[],
  ranges: Ranges,
  findings: Findings,
): ScenarioTask[] {
  const checker = new TaskChecker(cpus, spaces, ranges, findings);
  const tasks = itemsOf(node, 'tasks', 1, limits.cpus, findings).flatMap(item => checker.task(item) ?? []);
  if (findings.list.length === 0) checkDistinct(tasks, ranges, findings);
  return tasks;
}
