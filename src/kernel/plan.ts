/** Limits at the door: what is wrong with the options of a world, before anything is made. */
import { checkRange, pagesOf } from './program';
import type { CpuStart, WorldOptions } from './world';
import { WorldError, worldLimits } from './world';

/** How every CPU starts, and how many pages may be in use. */
export interface Plan {
  readonly starts: readonly CpuStart[];
  readonly pages: number;
  readonly hugePages: number;
}

/** Throws {@link WorldError}. */
export function planOf(options: WorldOptions): Plan {
  const { cpus, spaces, programs, start = [], machine } = options;
  if (machine.architecture !== 'x86') throw new WorldError('the model kernel runs on x86 machines');
  if (!Number.isInteger(cpus) || cpus < 1 || cpus > worldLimits.cpus)
    throw new WorldError(`a world has 1 to ${worldLimits.cpus} CPUs, not ${cpus}`);
  if (spaces.length < 1 || spaces.length > worldLimits.spaces)
    throw new WorldError(`a world has 1 to ${worldLimits.spaces} spaces, not ${spaces.length}`);
  if (programs.length > cpus)
    throw new WorldError(`there are ${cpus} CPUs, and programs for ${programs.length}`);
  if (start.length > cpus) throw new WorldError(`there are ${cpus} CPUs, and starts for ${start.length}`);
  for (const { regions } of spaces) for (const one of regions) checkRange(one, []);
  for (const { warm = [] } of start) for (const one of warm) checkRange(one, []);
  const names = spaces.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new WorldError('two spaces have the same name');
  const starts = Array.from({ length: cpus }, (_, cpu) => start[cpu] ?? { space: names[0]! });
  for (const { space } of starts)
    if (space !== null && !names.includes(space)) throw new WorldError(`there is no space '${space}'`);
  const regions = spaces.flatMap(space => space.regions);
  const [pages, hugePages] = ([12, 21] as const).map(
    size =>
      regions.reduce((sum, one) => sum + ((one.pageShift ?? 12) === size ? one.pages : 0), 0) +
      programs.reduce((sum, steps) => sum + pagesOf(steps, size), 0),
  );
  return { starts, pages: pages!, hugePages: hugePages! };
}
