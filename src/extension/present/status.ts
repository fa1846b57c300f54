/** Texts of the one status-bar item, and in words why a document has no hints. */
import type { DocumentReport } from '../../protocol/report';
import { plainText } from './escape';
import type { ShownMachine } from './machine';

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
}

const absences = {
  empty: ['empty file', 'The file is empty: there is nothing to read.'],
  binary: ['binary file', 'The file is binary (a NUL in its first 8 kB and no diff header): it is not read.'],
  'no-patch': ['no patch here', 'No diff was found in this file, not even in a quotation or an attachment.'],
  'no-tlb-code': [
    'no TLB code',
    'The patch was read, but none of its hunks names anything that touches the TLB.',
  ],
} as const;

const quantity = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** What the item says about a document that was read. */
export function reportStatus(report: DocumentReport, machine: ShownMachine): StatusText {
  const damage = report.diagnostics.length
    ? ` ${quantity(report.diagnostics.length, 'problem')} in the patch itself.`
    : '';
  const cut =
    (report.cut ? ` ${report.cut}` : '') + (report.byNameOnly ? ` ${plainText(report.byNameOnly)}` : '');
  if (report.absence) {
    const [short, long] = absences[report.absence];
    return { text: `$(circle-slash) TLB: ${short}`, tooltip: `${long}${damage}${cut}` };
  }
  const hunks = report.files.reduce((sum, file) => sum + file.hunks.length, 0);
  return {
    text: `$(pulse) TLB: ${plainText(machine.shortName, 40)}`,
    tooltip:
      `TLBScope: ${report.annotations.length} of ${quantity(hunks, 'hunk')} touch TLB code. ` +
      `Prices are for ${plainText(machine.name)}.${damage}${cut} Click for the machine and the switches.`,
  };
}

/** While a big document is read in the worker. */
export const readingStatus = (done: number, total: number): StatusText => ({
  text: `$(loading~spin) TLB: reading ${Math.floor((100 * done) / Math.max(1, total))} %`,
  tooltip: 'TLBScope is reading this big document. Click to stop.',
});

export const stoppedStatus: StatusText = {
  text: '$(debug-pause) TLB: reading stopped',
  tooltip: 'You stopped the reading. Click to read the document.',
};

export const failedStatus = (reason: string): StatusText => ({
  text: '$(warning) TLB: not read',
  tooltip: `The document could not be read: ${plainText(reason)}. Click to try again.`,
});

export const offerStatus: StatusText = {
  text: '$(eye) Read as patch',
  tooltip: 'This text looks like a patch. Click to let TLBScope read it (its language becomes Diff).',
};

export const tooBigStatus: StatusText = {
  text: '$(circle-slash) TLB: too big',
  tooltip:
    'VS Code gives extensions no text of files over 50 MB. The command line reads them: tlbscope cost FILE.',
};
