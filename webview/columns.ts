/** The columns of the table of CPUs. A new one is one entry here. */
import type { CpuState } from '../src/protocol/run';
import { counted, number, range } from './format';
import type { Cell } from './virtualGrid';

export interface CpuColumn {
  readonly id: string;
  readonly label: string;
  /** What it shows, in a sentence. */
  readonly about: string;
  /** Width in em that it needs, and its share of what is left over. */
  readonly least: number;
  readonly grow?: number;
  readonly numeric?: boolean;
  /** 0 is shown in the narrowest panel, 3 in a wide one only; all are shown for the selected CPU. */
  readonly importance: 0 | 1 | 2 | 3;
  /** Members of the state that it is made of: it is marked when one of them changes. */
  readonly from: readonly (keyof CpuState)[];
  readonly cell: (cpu: CpuState) => Cell;
}

const modes: Readonly<Record<CpuState['mode'], string>> = {
  user: 'user',
  kernel: 'kernel',
  interrupt: 'interrupt',
  nmi: 'NMI',
  idle: 'idle',
};

/** Slot of the mm that is loaded. */
const loaded = ({ slots, slot }: CpuState) => slots.find(one => one.slot === slot);

function generationText(cpu: CpuState): Cell {
  const slot = loaded(cpu);
  if (!slot) return { text: '–' };
  const { generation, mmGeneration } = slot;
  if (generation === null || mmGeneration === null) return { text: 'not known' };
  const behind = mmGeneration - generation;
  if (behind <= 0) return { text: `${generation} of ${mmGeneration}` };
  return {
    text: `${generation} of ${mmGeneration} ▼${behind}`,
    mark: 'behind',
    title: `${behind} flushes behind`,
  };
}

function flushText({ pendingUserFlush: flush, slots }: CpuState): Cell {
  const others = slots.filter(one => one.userFlush).length;
  switch (flush.kind) {
    case 'none':
      return others > 0 ? { text: `none (${others} other)`, title: 'of another slot' } : { text: 'none' };
    case 'unknown':
      return { text: 'not known' };
    case 'full':
      return { text: 'FULL', mark: 'behind', title: 'the whole user PCID, by the CR3 write of the exit' };
    case 'range': {
      const stride = flush.strideShift === 12 ? '4K' : `2^${flush.strideShift}`;
      const text = `${flush.start}–${flush.end} by ${stride}`;
      return { text, mark: 'behind', title: `page by page at the exit: ${text}` };
    }
  }
}

function tlbText({ tlb }: CpuState): Cell {
  const stale = tlb.reduce((sum, one) => sum + one.stale, 0);
  const parts = tlb.map(({ tag, global, entries }) => `${global ? 'global' : pcidText(tag)}: ${entries}`);
  const text = parts.join(', ') || 'empty';
  if (stale === 0) return { text };
  return {
    text: `⚠${stale} stale, ${text}`,
    mark: 'stale',
    title: `${counted(stale, 'stale entry', 'stale entries')} of ${text}`,
  };
}

/** The user half of a pair has bit 11. */
export const pcidText = (tag: number): string => (tag >= 0x800 ? `${tag & 0x7ff}u` : String(tag));

function interruptText({ pendingInterrupts, requestsIn, requestsOut }: CpuState): Cell {
  const parts = [
    ...(pendingInterrupts.length > 0 ? [`pending: ${pendingInterrupts.join(', ')}`] : []),
    ...(requestsOut > 0 ? [`waits for ${requestsOut}`] : []),
    ...(requestsIn > 0 ? [`${requestsIn} to do`] : []),
  ];
  return parts.length > 0 ? { text: parts.join('; '), mark: 'behind' } : { text: '–' };
}

const most = (cpu: CpuState): string =>
  [...cpu.operations]
    .sort((a, b) => (b.high ?? 0) - (a.high ?? 0))
    .slice(0, 3)
    .map(({ name, count }) => `${name} ${count}`)
    .join(', ') || '–';

export const cyclesText = ({ low, high, unpriced }: CpuState): string =>
  unpriced > 0 ? `at least ${number(low)}` : range(low, high);

export const cpuColumns: readonly CpuColumn[] = [
  {
    ...{ id: 'cpu', label: 'CPU', about: 'Number of the CPU.', least: 3.4, numeric: true, importance: 0 },
    from: [],
    cell: ({ cpu }) => ({ text: String(cpu) }),
  },
  {
    ...{
      id: 'mode',
      label: 'Mode',
      about: 'What runs: user code, the kernel, an interrupt handler, nothing.',
    },
    ...{ least: 5.7, importance: 0, from: ['mode'] },
    cell: ({ mode }) => ({ text: modes[mode] }),
  },
  {
    ...{ id: 'function', label: 'In', about: 'The function that runs, and what it waits for.' },
    ...{ least: 9, grow: 2, importance: 3, from: ['function', 'waitsFor'] },
    cell: ({ function: name, waitsFor }) => {
      const text = waitsFor === '' ? name : `${name} (waits: ${waitsFor})`;
      return { text: text || '–', title: text };
    },
  },
  {
    ...{
      id: 'cr3',
      label: 'CR3',
      about: 'Root page table and PCID; u: the user half of the pair that PTI makes.',
    },
    ...{ least: 9, grow: 1.4, importance: 2, from: ['cr3'] },
    cell: ({ cr3 }) => {
      if (!cr3) return { text: '–' };
      const text = `${cr3.root} · ${cr3.half === 'user' ? pcidText(cr3.pcid) : cr3.pcid}`;
      return {
        text,
        title: `root ${cr3.root}, PCID ${cr3.pcid}, ${cr3.half === 'whole' ? 'no PTI' : `${cr3.half} half`}`,
      };
    },
  },
  {
    ...{
      id: 'mm',
      label: 'mm',
      about: 'The loaded mm (cpu_tlbstate.loaded_mm) and its slot (loaded_mm_asid).',
    },
    ...{ least: 5, grow: 1, importance: 2, from: ['mm', 'slot'] },
    cell: ({ mm, slot }) => ({ text: `${mm || 'not known'}${slot === null ? '' : ` · ${slot}`}` }),
  },
  {
    ...{
      id: 'generation',
      label: 'Gen.',
      about: 'Generation that the slot is flushed to, of the generation of its mm.',
    },
    ...{ least: 5.5, grow: 1, importance: 1, from: ['slots', 'slot'] },
    cell: generationText,
  },
  {
    ...{ id: 'flush', label: 'User flush', about: 'What the return to user mode still has to flush.' },
    ...{ least: 6.5, grow: 1.4, importance: 2, from: ['pendingUserFlush'] },
    cell: flushText,
  },
  {
    ...{ id: 'lazy', label: 'Lazy', about: 'A kernel thread runs, and the mm stays loaded.' },
    ...{ least: 4, importance: 3, from: ['lazy'] },
    cell: ({ lazy }) => ({ text: lazy === null ? 'not known' : lazy ? 'lazy' : 'no' }),
  },
  {
    ...{ id: 'irq', label: 'IRQ', about: 'Whether interrupts are on.', least: 4, importance: 3 },
    from: ['interruptsOn', 'nmiBlocked'],
    cell: ({ interruptsOn, nmiBlocked }) => ({
      text: `${interruptsOn ? 'on' : 'OFF'}${nmiBlocked ? ' NMI' : ''}`,
      ...(nmiBlocked && { title: 'an NMI is being handled' }),
    }),
  },
  {
    ...{
      id: 'ipi',
      label: 'IPIs',
      about: 'Interrupts on their way to it, and requests of its own that are not acknowledged.',
    },
    ...{
      least: 6,
      grow: 1.2,
      importance: 2,
      from: ['pendingInterrupts', 'requestsIn', 'requestsOut'],
    },
    cell: interruptText,
  },
  {
    ...{
      id: 'tlb',
      label: 'TLB',
      about: 'Entries by PCID (u: of the user half), first-level and second-level together; stale ones.',
    },
    ...{ least: 6.6, grow: 1.6, importance: 0, from: ['tlb'] },
    cell: tlbText,
  },
  {
    ...{
      id: 'cycles',
      label: 'Cycles',
      about: 'So far, low to high; since the step measure, if it has one.',
    },
    ...{ least: 5, grow: 1, numeric: true, importance: 0, from: ['low', 'high', 'unpriced'] },
    cell: cpu => ({ text: cyclesText(cpu) }),
  },
  {
    ...{
      id: 'operations',
      label: 'Operations',
      about: 'The three that took the most cycles, with how often they ran.',
    },
    ...{ least: 9, grow: 2, importance: 3, from: ['operations'] },
    cell: cpu => ({ text: most(cpu), title: most(cpu) }),
  },
];

/** All but the number of the CPU: the user may hide them. */
export const optionalColumns: readonly CpuColumn[] = cpuColumns.filter(({ id }) => id !== 'cpu');

/** Columns for a width in pixels. */
export const columnsFor = (width: number, hidden: readonly string[]): readonly CpuColumn[] =>
  cpuColumns.filter(
    ({ id, importance }) =>
      id === 'cpu' ||
      (importance <= (width < 440 ? 0 : width < 720 ? 1 : width < 1100 ? 2 : 3) && !hidden.includes(id)),
  );
