/** Texts of new scenario files. Each is valid as it stands and runs; the comments say what to change. */

/** What a new file begins with. */
export interface TemplateOptions {
  readonly title: string;
  /** Globs of paths and names of functions. */
  readonly appliesTo: readonly string[];
}

export interface ScenarioTemplate {
  readonly id: string;
  /** What happens in it, in a few words. */
  readonly label: string;
  readonly detail: string;
  text(options: TemplateOptions): string;
}

const list = (entries: readonly string[]): string => entries.map(entry => JSON.stringify(entry)).join(', ');

interface Parts {
  readonly cpus: number;
  readonly parameters: string;
  readonly tasks: string;
  readonly expect: string;
}

const file = ({ title, appliesTo }: TemplateOptions, { cpus, parameters, tasks, expect }: Parts): string => `{
  "title": ${JSON.stringify(title)},
  // Files (globs) and functions about which this scenario says something.
  "appliesTo": [${list(appliesTo)}],
  "kernel": "linux",
  // Exactly these are on. Without this line: those of the machine.
  "features": ["PTI", "PCID", "INVPCID", "PGE"],
  "cpus": ${cpus},
  // The scenario runs once for each combination.
  "parameters": { ${parameters} },
  // Patches of the model kernel, by name. A patch under review that applies to it takes their place.
  "variants": { "base": [], "deferred": ["range-interface", "deferred-user-flush"] },
  "spaces": { "a": { "pages": 64 } },
  "tasks": [
${tasks}
  ],
  // Budgets: they are tests in the Test Explorer.
  "expect": [
${expect}
  ],
}
`;

const alone: Parts = {
  cpus: 1,
  parameters: '"n": [1, 10, 33, 34]',
  tasks: `    {
      "cpu": 0,
      "warm": "n",
      "steps": [{ "measure": {} }, { "madvise": { "pages": "n" } }],
    },`,
  expect: `    { "what": "verdict", "is": "safe" },
    { "what": "IPI", "is": 0 },
    // Above 33 pages the whole address space is flushed instead.
    { "what": "INVLPG", "is": "n", "variant": "base", "when": "n <= 33" },`,
};

const shootdown: Parts = {
  cpus: 4,
  parameters: '"n": [1, 10], "c": { "from": 0, "to": 3 }',
  tasks: `    {
      "cpu": 0,
      "warm": "n",
      "steps": [{ "barrier": { "name": "ready" } }, { "measure": {} }, { "madvise": { "pages": "n" } }],
    },
    // Threads of the same process that hold the pages in their TLBs.
    {
      "cpus": [1, "c"],
      "warm": "n",
      "steps": [{ "barrier": { "name": "ready" } }, { "measure": {} }, { "user": {} }],
    },`,
  expect: `    { "what": "verdict", "is": "safe" },
    { "what": "IPI", "is": "c" },
    { "what": "INVLPG", "is": "n * (c + 1)", "variant": "base" },`,
};

const freed: Parts = {
  cpus: 2,
  parameters: '"n": [1, 10]',
  tasks: `    {
      "cpu": 0,
      "warm": "n",
      "steps": [{ "barrier": { "name": "ready" } }, { "measure": {} }, { "unmap": { "pages": 64 } }],
    },
    {
      "cpu": 1,
      "warm": "n",
      "steps": [{ "barrier": { "name": "ready" } }, { "measure": {} }, { "user": {} }],
    },`,
  expect: `    { "what": "verdict", "is": "safe" },
    { "what": "IPI", "is": 1, "cpu": 0 },`,
};

const template = (id: string, label: string, detail: string, parts: Parts): ScenarioTemplate => ({
  ...{ id, label, detail },
  text: options => file(options, parts),
});

/** The templates: a new one is one line here. The first is the default. */
export const scenarioTemplates: readonly ScenarioTemplate[] = [
  template('shootdown', 'Shootdown', 'n pages dropped while c threads run on other CPUs', shootdown),
  template('one-thread', 'One thread', 'n pages dropped by a process that runs alone', alone),
  template(
    'freed-tables',
    'Freed page tables',
    'munmap of a whole region while a thread runs elsewhere',
    freed,
  ),
];
