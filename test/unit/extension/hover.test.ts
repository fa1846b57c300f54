import { strict as assert } from 'node:assert';
import { hoverCommands, hunkHover, lineHover } from '../../../src/extension/present/hover';
import { hunkOf, lineOf, machine } from './samples';

const values = { n: 10, c: 3 };

/** Payloads that must come out as text. */
const payloads = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '[click](command:workbench.action.terminal.new)',
  '![x](https://example.org/x.png)',
  '<svg onload=alert(1)>',
  'https://example.org/auto',
  '`code` **bold** | cell |',
  '$(alert) $(x)',
  'a\u202egnp.exe',
  '<a href="javascript:alert(1)">x</a>',
  '\u001b[31mred',
  'a\n\n# heading\n- list',
  '&lt;img&gt; &#60;b&#62;',
  '<!-- --> <style>*{background:url(https://example.org)}</style>',
];

describe('hover', () => {
  it('explains a line: operation, count, price with range and kind, source', () => {
    const causes = [
      { name: 'tq_one', operations: { INVLPG: 'n' }, why: 'One page each.', gates: ['PTI'], note: '' },
    ];
    const text = lineHover(lineOf({ operations: { INVLPG: 'n' }, causes }), machine, values, ['inlayHints']);
    assert.match(text, /\*\*1000 cy \(900–1200\)\*\* at n=10, \*by name\*/);
    assert.match(text, /\| INVLPG \| n → 10 \| 100 \(90–120\) \| measured \| 900–1200 cy \|/);
    assert.match(text, /\*\*tq\\_one\*\* → n·INVLPG\. One page each\\\. Needs PTI\./);
    assert.match(text, /INVLPG: PAPER by Somebody\. One note/);
    assert.match(
      text,
      /\[Turn off: hints at the ends of lines\]\(command:tlbscope\.hide\?%5B%22inlayHints%22%5D\)/,
    );
  });

  it('lists what is not known, and never as 0', () => {
    const text = hunkHover(
      hunkOf({ delta: { ISB: '1' }, unknown: [{ name: 'tq_x', line: 9, why: 'no row' }] }),
      machine,
      values,
      [],
    );
    assert.match(text, /\*\*no price\*\*/);
    assert.match(text, /\| ISB \| 1 \| unknown \| .* \| unknown: nobody knows \|/);
    assert.match(text, /tq\\_x, line 9: no row/);
  });

  it('shows text of a patch as text', () => {
    for (const payload of payloads) {
      const unknown = [{ name: payload, line: 1, why: payload }];
      const causes = [{ name: payload, operations: {}, why: payload, gates: [payload], note: payload }];
      const texts = [
        lineHover(lineOf({ causes, unknown }), machine, values, []),
        hunkHover(
          hunkOf({
            heading: payload,
            derivation: [payload],
            unknown,
            gates: [payload],
            delta: { [payload]: payload },
          }),
          machine,
          values,
          [],
        ),
      ];
      for (const text of texts) {
        // Links that are left are our own commands; no HTML, image, autolink, icon or control character is left.
        const bare = text.replace(/\\[!-/:-@[-`{-~]/g, '');
        for (const [, target] of bare.matchAll(/\]\(([^)]*)/g))
          assert.ok(
            hoverCommands.some(command => target?.startsWith(`command:${command}`)),
            `${payload}: ${target}`,
          );
        assert.doesNotMatch(bare, /<|!\[|https?:|\$\(|&#|\u202e/, payload);
        assert.ok(!bare.includes('\u001b'), payload);
        assert.doesNotMatch(bare, /^#/m, payload);
      }
    }
  });
});
