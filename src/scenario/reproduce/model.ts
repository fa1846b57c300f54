/** What reproducing published results is made of: the published figures, a model for each table, and what came out. */
import type { Lab } from './lab';

/** A figure as somebody published it. */
export interface PublishedFigure {
  /** What was varied, such as `10 pages`. */
  readonly row: string;
  /** What it was measured with, such as `concurrent`. */
  readonly column: string;
  readonly unit: string;
  readonly value: number;
  /** Samples, or the share of all: how much the figure counts where a line is fitted. */
  readonly weight?: number;
}

/** One published table; a file of `published/`. */
export interface PublishedTable {
  readonly id: string;
  readonly title: string;
  /** Ids of the machine room's sources. */
  readonly sources: readonly string[];
  /** Profile whose figures the model takes. */
  readonly machine: string;
  readonly about: string;
  readonly figures: readonly PublishedFigure[];
}

/** `fitted`: a constant was chosen with this figure in view, so that it proves nothing. */
export type Role = 'fitted' | 'predicted' | 'not modelled';

/** What a model says about one figure. Of `not modelled`, `value` is null. */
export interface Prediction {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly role: Role;
  /** How the number came about, or why there is none. */
  readonly reason: string;
}

/** A constant that was chosen so that the model meets figures of the table. */
export interface FittedConstant {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The figures it was fitted on. */
  readonly on: string;
}

/** A model of one table. */
export interface TableModel {
  /** Free parameters: every one counts. */
  readonly fitted: readonly FittedConstant[];
  /** Figures taken from elsewhere, with where from. */
  readonly takes: readonly string[];
  /** What the model leaves out, and where it is known to be wrong. */
  readonly leavesOut: readonly string[];
  /** null: the model has nothing to say about such a figure. */
  predict(row: string, column: string): Prediction | null;
}

/** A table and how it is reproduced; one entry of `registry.ts`. */
export interface Reproduction {
  readonly published: PublishedTable;
  /** Or, in place of a model, why there is none. */
  readonly model: ((published: PublishedTable, lab: Lab) => TableModel) | { readonly notModelled: string };
  readonly plot?: PlotPlan;
}

/** Which figures of a table a plot shows: rows that begin with a number, of these columns. */
export interface PlotPlan {
  readonly x: string;
  readonly y: string;
  readonly columns: readonly string[];
}

/** One published figure and what the product says, as the command line gives it. */
export interface ReproducedRow {
  readonly row: string;
  readonly column: string;
  readonly unit: string;
  readonly published: number;
  readonly predicted: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** (predicted − published) / published; null without a prediction. */
  readonly error: number | null;
  readonly role: Role;
  readonly reason: string;
}

export interface ReproducedTable {
  readonly id: string;
  readonly title: string;
  /** Number of free parameters. */
  readonly free: number;
  readonly rows: readonly ReproducedRow[];
  readonly machine: string;
  readonly about: string;
  readonly sources: readonly string[];
  readonly fitted: readonly FittedConstant[];
  readonly takes: readonly string[];
  readonly leavesOut: readonly string[];
}

/** The number a row or column begins with, such as 10 of `10 pages`; null where it begins with none. */
export function leadingNumber(text: string): number | null {
  const match = /^\d{1,9}(?= |$)/.exec(text);
  return match ? Number(match[0]) : null;
}

/** The published figure; throws where the table has none: a mistake of the model. */
export function figureAt(table: PublishedTable, row: string, column: string): number {
  const found = table.figures.find(one => one.row === row && one.column === column);
  if (!found) throw new Error(`${table.id} has no figure ${row}, ${column}`);
  return found.value;
}

export const notModelled = (reason: string): Prediction => ({
  ...{ value: null, low: null, high: null, role: 'not modelled', reason },
});

/** A figure that a constant was fitted on, met to the digit. */
export const exactly = (value: number, reason: string): Prediction => ({
  ...{ value, low: value, high: value, role: 'fitted', reason },
});
