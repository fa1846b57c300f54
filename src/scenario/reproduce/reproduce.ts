/** Reproduces published tables: every published figure against what the models say. */
import { Lab } from './lab';
import type { Prediction, PublishedFigure, ReproducedRow, ReproducedTable, Reproduction } from './model';
import { notModelled } from './model';
import { reproductions } from './registry';

/** A published figure that the product does not hold: for this run only, and never fitted on. */
export interface FurtherFigure extends PublishedFigure {
  readonly table: string;
}

const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(6)) + 0;

function rowOf(figure: PublishedFigure, { value, low, high, role, reason }: Prediction): ReproducedRow {
  const { row, column, unit } = figure;
  const error = value === null || figure.value === 0 ? null : (value - figure.value) / figure.value;
  return {
    ...{ row, column, unit, published: figure.value, predicted: rounded(value) },
    ...{ low: rounded(low), high: rounded(high) },
    error: error === null ? null : Math.round(error * 10_000) / 10_000 + 0,
    ...{ role, reason },
  };
}

/** The same reproduction with a table of one id; upper and lower case are alike. */
export function findReproduction(id: string): Reproduction | null {
  const wanted = id.toUpperCase();
  return reproductions.find(({ published }) => published.id === wanted) ?? null;
}

/** One table. `further`: figures that are compared as well. */
export function reproduceTable(
  { published, model }: Reproduction,
  lab: Lab,
  further: readonly FurtherFigure[] = [],
): ReproducedTable {
  const made = typeof model === 'function' ? model(published, lab) : null;
  const why = typeof model === 'function' ? '' : model.notModelled;
  const predict = ({ row, column }: PublishedFigure): Prediction =>
    made === null
      ? notModelled(why)
      : (made.predict(row, column) ?? notModelled('the model says nothing about such a figure'));
  const own = published.figures.map(figure => rowOf(figure, predict(figure)));
  const more = further
    .filter(({ table }) => table.toUpperCase() === published.id)
    .map(figure => {
      const known = published.figures.find(
        one => one.row === figure.row && one.column === figure.column && one.value === figure.value,
      );
      const prediction = predict(figure);
      // A figure that came later was not fitted on, whatever stands in its row.
      const role = prediction.role === 'fitted' && !known ? 'predicted' : prediction.role;
      return rowOf(figure, { ...prediction, role });
    });
  const { id, title, machine, about, sources } = published;
  return {
    ...{ id, title, free: made?.fitted.length ?? 0, rows: [...own, ...more], machine, about, sources },
    ...{ fitted: made?.fitted ?? [], takes: made?.takes ?? [], leavesOut: made?.leavesOut ?? [why] },
  };
}

/** All tables, or the named ones, in the registry's order. The C parser must be loaded. */
export function* reproduceTables(
  which: readonly Reproduction[] = reproductions,
  further: readonly FurtherFigure[] = [],
): Generator<ReproducedTable> {
  const lab = new Lab();
  for (const one of which) yield reproduceTable(one, lab, further);
}
