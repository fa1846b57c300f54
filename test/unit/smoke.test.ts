import { strict as assert } from 'node:assert';
it('runs', () => assert.equal(1, 1));
