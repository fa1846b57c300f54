/** A scenario that uses everything, as an object to change, and its text. */
export const sample = (): Record<string, unknown> => ({
  title: 'A sample',
  about: 'It uses every member.',
  appliesTo: ['arch/x86/mm/*.c', 'flush_tlb_mm_range'],
  kernel: 'linux',
  machine: 'skylake-sp-8160',
  features: ['PTI', 'PCID'],
  cpus: 4,
  sockets: [0, 0, 1, 1],
  seed: 7,
  speculation: false,
  parameters: { n: [1, 10], c: { from: 0, to: 2 }, one: 1 },
  variants: { base: [], serial: ['serial-flush'] },
  spaces: { a: { pages: 'n + 1' }, child: { pages: 0, writable: true, populated: false } },
  tasks: [
    {
      cpu: 0,
      space: 'a',
      warm: 'n',
      steps: [
        { map: { from: 20, pages: 2, protection: 'read', exit: 'stack' } },
        { touch: { pages: 'n', access: 'read' } },
        { barrier: { name: 'warm' } },
        { measure: {} },
        { madvise: { pages: 'n', stride: 12, advice: 'DONTNEED', exit: 'nostack' } },
        { mprotect: { protection: 'read' } },
        { fork: { into: 'child' } },
        { reclaim: { space: 'a', pages: 'n' } },
        { switch: { space: 'child' } },
        { lazy: {} },
        { enter: { by: 'syscall' } },
        { nmi: { cpu: 1 } },
        { repeat: { times: 'n * 2', steps: [{ touch: {} }, { unmap: {} }] } },
      ],
    },
    { cpus: [1, 'c'], lazy: false, steps: [{ barrier: { name: 'warm' } }, { user: {} }] },
  ],
  expect: [
    { what: 'INVLPG', is: 'n', cpu: 0, variant: 'base', when: 'n <= 33' },
    { what: 'cycles', atMost: 100000, atLeast: 1 },
    { what: 'verdict', is: 'safe' },
  ],
});

export const textOf = (scenario: unknown): string => JSON.stringify(scenario, null, 2);

/** The sample with the value at a path replaced; `undefined` removes it. */
export function changed(path: readonly (string | number)[], value: unknown): Record<string, unknown> {
  const scenario = sample();
  let at: Record<string | number, unknown> = scenario;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1)!;
  if (value === undefined) Reflect.deleteProperty(at, last);
  else at[last] = value;
  return scenario;
}
