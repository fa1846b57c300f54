import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { lineMap } from '../../../src/extension/lineMap';

describe('lineMap', () => {
  it('is the identity, less one, where no CR stands alone', () => {
    const map = lineMap('a\r\nb\nc\n');
    assert.deepEqual(
      [1, 2, 3].map(line => map.start(line)),
      [0, 1, 2],
    );
    assert.equal(map.readerLine(2), 3);
  });

  it('counts a lone CR as a line of the editor', () => {
    // The editor has the lines a | b | c | d, the reader a CR b | c | d.
    const map = lineMap('a\rb\nc\nd');
    assert.deepEqual(
      [1, 2, 3].map(line => [map.start(line), map.end(line)]),
      [
        [0, 1],
        [2, 2],
        [3, 3],
      ],
    );
    assert.deepEqual(
      [0, 1, 2, 3].map(line => map.readerLine(line)),
      [1, 1, 2, 3],
    );
  });

  it('agrees with the editor about every line of any text', () => {
    const text = fc
      .array(fc.constantFrom('x', '\r', '\n', '\r\n'), { maxLength: 60 })
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(text, source => {
        const map = lineMap(source);
        const readerLines = source.split('\n');
        let before = 0;
        for (const [index, line] of readerLines.entries()) {
          // What precedes the line, split as VS Code splits, with the line's own first character as a sentinel.
          const start = source.slice(0, before).split(/\r\n|\r|\n/).length - 1;
          if (index < readerLines.length - 1 || line) assert.equal(map.start(index + 1), start);
          assert.equal(map.readerLine(map.start(index + 1)), index + 1);
          before += line.length + 1;
        }
      }),
    );
  });
});
