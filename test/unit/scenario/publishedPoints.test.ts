import { strict as assert } from 'node:assert';
import { builtinScenarios } from '../../../src/scenario/builtin';
import { publishedPoints } from '../../../src/scenario/publishedPoints';

describe('published points of a sweep', () => {
  it('are those of the table, where the machine is that of the table', () => {
    const points = publishedPoints('flush-ceiling', 'n', 'pvm-guest');
    assert.deepEqual(
      points.map(({ x, value }) => [x, value]),
      [
        ...[
          [1, 12200],
          [2, 19000],
          [5, 40100],
          [10, 78300],
          [20, 147000],
          [33, 244000],
          [34, 55000],
          [50, 57900],
        ],
      ],
    );
    assert.match(points[0]!.source, /^G1: /);
    assert.deepEqual(publishedPoints('flush-ceiling', 'n', 'haswell'), []);
    assert.deepEqual(publishedPoints('flush-ceiling', 'c', 'pvm-guest'), []);
    assert.deepEqual(publishedPoints('__proto__', 'n', 'pvm-guest'), []);
  });

  it('leave out rows that are no count of pages', () => {
    const points = publishedPoints('madvise-one-thread', 'n', 'broadwell-ep-e5-2660v4');
    assert.deepEqual(
      points.map(({ x, value }) => [x, value]),
      [
        [1, 2119],
        [1, 1986],
        [10, 6791],
        [10, 5417],
      ],
    );
  });

  it('belong to scenarios that there are', () => {
    for (const name of ['flush-ceiling', 'madvise-one-thread'])
      assert.ok(
        builtinScenarios.some(one => one.name === name),
        name,
      );
  });
});
