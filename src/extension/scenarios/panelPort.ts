/** What the commands here want of the state panel. */
import type { RunReport } from '../../protocol/run';
import type { Subject } from './request';

/** What is to be seen of a scenario. */
export interface Showing {
  readonly subject: Subject;
  /** One of its runs; null: the panel's choice. */
  readonly run: Pick<RunReport, 'variant' | 'parameters'> | null;
  /** Two variants beside each other; null: the panel's choice. */
  readonly compare: { readonly before: string; readonly after: string } | null;
  /** Parameter whose values are swept; null: no sweep. */
  readonly sweep: string | null;
}

export interface PanelPort {
  show(showing: Showing): Promise<void>;
}
