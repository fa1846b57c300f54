/** Published tables beside what the models say: what the host asks for, and the text that it shows. */
import { isCount, isText, listOf, shape, type Check } from './check';

export interface TableName {
  /** Such as `R1`. */
  readonly id: string;
  readonly title: string;
}

export interface TablePage extends TableName {
  /** Markdown; a plot is in it as data. */
  readonly markdown: string;
}

export type ReproduceHostMessage =
  | { readonly type: 'tables'; readonly id: number }
  /** Ids of tables; none: all. */
  | { readonly type: 'reproduce'; readonly id: number; readonly tables: readonly string[] };

export type ReproduceWorkerMessage =
  | { readonly type: 'tables'; readonly id: number; readonly tables: readonly TableName[] }
  | { readonly type: 'reproduced'; readonly id: number; readonly pages: readonly TablePage[] };

export const reproduceHostMessages: Readonly<Record<ReproduceHostMessage['type'], Check>> = {
  tables: shape({ id: isCount }),
  reproduce: shape({ id: isCount, tables: listOf(isText) }),
};

export const reproduceWorkerMessages: Readonly<Record<ReproduceWorkerMessage['type'], Check>> = {
  tables: shape({ id: isCount, tables: listOf(shape({ id: isText, title: isText })) }),
  reproduced: shape({
    id: isCount,
    pages: listOf(shape({ id: isText, title: isText, markdown: isText })),
  }),
};
