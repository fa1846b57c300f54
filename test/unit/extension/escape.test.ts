import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { labelText, markdownText, plainText } from '../../../src/extension/present/escape';

describe('text of a patch that is shown', () => {
  it('keeps ordinary text as it is', () => {
    assert.equal(plainText('x86/mm: Drop  the\tflush '), 'x86/mm: Drop the flush');
  });

  it('shows characters that would reorder or hide text as their code', () => {
    assert.equal(plainText('a\u202eb\u0000c\u200d'), 'a⟨U+202E⟩b⟨U+0000⟩c⟨U+200D⟩');
  });

  it('is no icon where VS Code would draw one', () => {
    assert.equal(labelText('$(error) a'), '$ (error) a');
  });

  it('is cut at a bound', () => {
    assert.equal(plainText('abcdef', 4), 'abc…');
  });

  it('escapes every mark of Markdown, HTML, links and icons', () => {
    assert.equal(
      markdownText('<img src=x> [a](command:x) $(x) `c` http://x.y | *b*'),
      '\\<img src\\=x\\> \\[a\\]\\(command\\:x\\) \\$\\(x\\) \\`c\\` http\\:\\/\\/x\\.y \\| \\*b\\*',
    );
  });

  it('leaves no ASCII punctuation unescaped, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        const rest = markdownText(text).replace(/\\[!-/:-@[-`{-~]/g, '');
        assert.doesNotMatch(rest, /[!-/:-@[-`{-~\n\r]/);
      }),
    );
  });
});
