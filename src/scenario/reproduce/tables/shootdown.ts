/** R4: what other CPUs add to madvise of a page, by three algorithms, run on the model kernel. */
import type { MachineProfile } from '../../../machine/profile';
import { machine, pagesFrom, withFigures, type Lab } from '../lab';
import { exactly, figureAt, leadingNumber, notModelled, type Prediction, type PublishedTable, type TableModel } from '../model'; // prettier-ignore

const features = ['PTI', 'PCID', 'INVPCID', 'PGE'];

/** Patches of the model tree that make the algorithm of a column. */
const patchesOf: Readonly<Record<string, readonly string[]>> = {
  before: ['serial-flush'],
  'RFC v1': [],
  'RFC v2': ['early-acknowledgement'],
};

/** Figures of the profile that the predictions depend on. */
const dependsOn = [
  ...['invlpg', 'invpcid_type0', 'ipi_icr_write', 'cacheline_transfer_same_socket', 'mov_cr3_noflush'],
  'control_register_read',
];

/** One set of figures, with the two constants fitted on the first column. */
class Fit {
  private readonly runs = new Map<string, number>();
  readonly fixed: number;
  /** ns from the send to the function on the other CPU. */
  readonly reach: number;

  constructor(
    private readonly lab: Lab,
    private readonly profile: MachineProfile,
    published: PublishedTable,
  ) {
    this.fixed = figureAt(published, '1 thread', 'before') - this.iteration('before', 1, 0);
    this.reach = figureAt(published, '2 threads', 'before') - this.fixed - this.iteration('before', 2, 0);
  }

  value(column: string, threads: number): number {
    // Requests of RFC v2 travel inside the call: the target reads one line less.
    const lines = column === 'RFC v2' && threads > 1 ? 1 : 0;
    const transfer = this.profile.figures['cacheline_transfer_same_socket']!.value!;
    return this.fixed + this.iteration(column, threads, this.reach) - lines * transfer;
  }

  /** ns of the initiator's simulated clock for one madvise and one touch. */
  private iteration(column: string, threads: number, reach: number): number {
    const key = `${column} ${threads} ${reach}`;
    const known = this.runs.get(key);
    if (known !== undefined) return known;
    const once = [
      { kind: 'madvise', ...pagesFrom(0, 1) },
      { kind: 'touch', write: true, ...pagesFrom(0, 1) },
    ] as const;
    const { cycles } = this.lab.run({
      // The way to the other CPU and into its handler is one constant.
      machine: withFigures(this.profile, { ipi_delivery_same_socket: reach, ipi_handler_overhead: 0 }),
      ...{ patches: patchesOf[column]!, features, spaces: [4], warm: 1 },
      programs: [
        [...once, { kind: 'measure' }, ...once, ...once],
        ...Array.from({ length: threads - 1 }, () => [{ kind: 'spin' }] as const),
      ],
    });
    const ns = cycles / 2 / this.profile.clock.assumedCoreGhz;
    this.runs.set(key, ns);
    return ns;
  }
}

export function shootdown(published: PublishedTable, lab: Lab): TableModel {
  const profile = machine(published.machine);
  const fit = new Fit(lab, profile, published);
  const others = dependsOn.map(id => {
    const figure = profile.figures[id]!;
    return [figure.low!, figure.high!].map(
      value => new Fit(lab, withFigures(profile, { [id]: value }), published),
    );
  });
  const predict = (column: string, threads: number): Prediction => {
    const value = fit.value(column, threads);
    let [below, above] = [0, 0];
    for (const pair of others) {
      const changes = pair.map(one => one.value(column, threads) - value);
      below += Math.min(0, ...changes) ** 2;
      above += Math.max(0, ...changes) ** 2;
    }
    return {
      ...{ value, low: value - Math.sqrt(below), high: value + Math.sqrt(above), role: 'predicted' },
      reason: {
        before: 'the model kernel: one more interrupt to send, and the last answer counts',
        'RFC v1': 'the model kernel flushes here while the others do',
        'RFC v2': 'the model kernel answers before it flushes; the request is one line less to fetch',
      }[column]!,
    };
  };
  return {
    fitted: [
      {
        name: 'an iteration, beside what the model kernel runs',
        value: fit.fixed,
        unit: 'ns',
        on: '1 thread, before',
      },
      { name: "an interrupt's way into the other CPU's handler", value: fit.reach, unit: 'ns', on: '2 threads, before' }, // prettier-ignore
    ],
    takes: [
      `flushes, interrupts sent, line transfers: the profile's at ${profile.clock.assumedCoreGhz} GHz, mostly estimated; its figures made of this table are not used`,
      'PTI on, as the kernel of the time has it on a Haswell; the mail does not say',
    ],
    leavesOut: [
      'The ranges add the figures one at a time, each with both constants fitted anew.',
      'Lines that several CPUs fetch at once: their requests are further apart than a transfer takes.',
    ],
    predict(row, column) {
      if (row.startsWith('sysbench'))
        return notModelled(
          'how often a benchmark of files flushes is not published: one free parameter for one row',
        );
      const threads = leadingNumber(row);
      if (threads === null || threads < 1 || threads > 64 || !(column in patchesOf)) return null;
      if (column === 'before' && threads <= 2) return exactly(fit.value(column, threads), 'fitted');
      return predict(column, threads);
    },
  };
}
