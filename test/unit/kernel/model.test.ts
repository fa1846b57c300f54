/** The model tree: it lowers whole, and nothing in it is unknown but what is listed here. */
import assert from 'node:assert/strict';
import { loadParser } from '../code/c/support';
import { boot, finish, loweredVariant } from './support';
import { modelVariants } from '../../../src/kernel/tree';

describe('the model kernel', function () {
  this.timeout(60_000);
  before(loadParser);

  for (const { name } of modelVariants)
    it(`${name}: every function is read`, () => {
      const { unreadable, modules } = loweredVariant(name);
      assert.deepEqual(unreadable, []);
      assert.deepEqual(
        modules.flatMap(one => one.findings.map(({ message }) => message)),
        [],
      );
    });

  it('names nothing that is not defined', () => {
    assert.deepEqual(boot('base').undefinedNames, []);
  });

  it('assumes no width and no length; configuration is listed', () => {
    const other = boot('base').assumed.filter(text => !text.startsWith('CONFIG_'));
    assert.deepEqual(other, []);
  });

  it('runs a system call that does nothing', () => {
    const world = finish(boot('base', { programs: [[{ kind: 'enter', by: 'syscall' }]] }));
    assert.deepEqual(world.figures(0).counts, { CR3_READ: 2, CR3_NOFLUSH: 2 });
  });
});
