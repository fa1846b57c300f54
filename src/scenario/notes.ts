/** What the figures of a run do not say: notes, which change no verdict. */
import type { World } from '../kernel/world';

/** Sentences that begin with the kind of the note. `touched`: paths that the patch under review changes. */
export function notesOf(world: World, cpus: number, touched: readonly string[]): string[] {
  return [...notRun(world, touched), ...overflush(world, cpus)];
}

/** Code that the patch changes and that is not in the run. Of headers it is not known: they may be macros. */
function notRun(world: World, touched: readonly string[]): string[] {
  const running = new Set(world.sources.filter(({ from }) => from === 'tree').map(({ file }) => file));
  return touched
    .filter(path => /\.[cS]$/.test(path) && !running.has(path))
    .map(path => `not run: the patch changes ${path}, which takes no part in this run`);
}

/** Flushes that dropped more than they had to: correct, and paid for with page walks. */
function overflush(world: World, cpus: number): string[] {
  const each = Array.from({ length: cpus }, (_, cpu) => world.overflushed(cpu));
  const total = each.reduce((sum, one) => sum + one, 0);
  if (total === 0) return [];
  const where = each.flatMap((count, cpu) => (count > 0 ? [`${count} on CPU ${cpu}`] : []));
  const listed = where.length > 8 ? `${where.slice(0, 8).join(', ')}, …` : where.join(', ');
  const what = total === 1 ? '1 translation that was' : `${total} translations that were`;
  return [`overflush: flushes dropped ${what} still right (${listed}): ${linesOf(world, cpus)}`];
}

/** Which line dropped how many, the most first. */
function linesOf(world: World, cpus: number): string {
  const byLine = new Map<string, number>();
  for (let cpu = 0; cpu < cpus; cpu++)
    for (const { count, position } of world.overflushes(cpu)) {
      const place = `${position.file}:${position.line}`;
      byLine.set(place, (byLine.get(place) ?? 0) + count);
    }
  const lines = [...byLine].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const shown = lines.slice(0, 8).map(([place, count]) => `${count} at ${place}`);
  return lines.length > 8 ? `${shown.join(', ')}, …` : shown.join(', ');
}
