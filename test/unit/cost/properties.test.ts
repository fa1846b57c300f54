/** The same code in other words has the same price. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { add, evaluate, print, zero, type Polynomial } from '../../../src/cost/polynomial';
import type { Counts } from '../../../src/cost/resolve';
import { patchOf, priced, shown } from './support';

/** One step of a made-up function, in a form that does not say how it is spelled. */
type Step =
  | { readonly kind: 'operation'; readonly text: string }
  | { readonly kind: 'range'; readonly text: string }
  | { readonly kind: 'counted'; readonly times: number; readonly text: string }
  | { readonly kind: 'feature'; readonly feature: string; readonly text: string }
  | { readonly kind: 'callback'; readonly wait: boolean }
  | { readonly kind: 'equal'; readonly text: string }
  | { readonly kind: 'huge'; readonly text: string }
  | { readonly kind: 'mask'; readonly text: string }
  | { readonly kind: 'value'; readonly keeps: boolean }
  | { readonly kind: 'asker'; readonly asks: boolean };

const flushes = [
  'asm volatile("invlpg (%0)" : : "r" (addr) : "memory");',
  'invpcid_flush_one(user_pcid(asid), addr);',
  'invpcid_flush_all();',
  'write_cr3(build_cr3_noflush(pgd, asid));',
  '__flush_tlb_all();',
];

const text = fc.constantFrom(...flushes);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('operation' as const), text }),
  fc.record({ kind: fc.constant('range' as const), text }),
  fc.record({ kind: fc.constant('counted' as const), times: fc.integer({ min: 1, max: 9 }), text }),
  fc.record({ kind: fc.constant('feature' as const), feature: fc.constantFrom('PTI', 'PCID'), text }),
  fc.record({ kind: fc.constant('callback' as const), wait: fc.boolean() }),
  fc.record({ kind: fc.constant('equal' as const), text }),
  fc.record({ kind: fc.constant('huge' as const), text }),
  fc.record({ kind: fc.constant('mask' as const), text }),
  fc.record({ kind: fc.constant('value' as const), keeps: fc.boolean() }),
  fc.record({ kind: fc.constant('asker' as const), asks: fc.boolean() }),
);
const steps = fc.array(step, { minLength: 1, maxLength: 4 });

/** How the code is spelled. */
interface Spelling {
  readonly loop: 'for' | 'while' | 'do' | 'goto';
  readonly swapped: boolean;
  readonly helper: boolean;
  readonly macro: boolean;
  readonly dead: boolean;
  /** The whole body stands in a function of its own. */
  readonly wrapped: boolean;
  readonly names: readonly [start: string, end: string, address: string, counter: string, name: string];
}

const plain: Spelling = {
  ...{ loop: 'for', swapped: false, helper: false, macro: false, dead: false, wrapped: false },
  names: ['start', 'end', 'addr', 'i', 'tq_work'],
};

const spelling: fc.Arbitrary<Spelling> = fc.record({
  loop: fc.constantFrom('for' as const, 'while' as const, 'do' as const, 'goto' as const),
  swapped: fc.boolean(),
  helper: fc.boolean(),
  macro: fc.boolean(),
  dead: fc.boolean(),
  wrapped: fc.boolean(),
  names: fc.constantFrom(
    ['start', 'end', 'addr', 'i', 'tq_work'] as const,
    ['from', 'until', 'where', 'turn', 'xq_job'] as const,
    ['lo', 'hi', 'p', 'k', 'flushq_do'] as const,
  ),
});

function loopText(
  s: Spelling,
  at: number,
  variable: string,
  first: string,
  bound: string,
  next: string,
  body: string,
): string {
  const test = s.swapped ? `${bound} > ${variable}` : `${variable} < ${bound}`;
  switch (s.loop) {
    case 'for':
      return `\tfor (${variable} = ${first}; ${test}; ${next})\n\t\t${body}`;
    case 'while':
      return `\t${variable} = ${first};\n\twhile (${test}) {\n\t\t${body}\n\t\t${next};\n\t}`;
    case 'do':
      return `\t${variable} = ${first};\n\tdo {\n\t\t${body}\n\t\t${next};\n\t} while (${test});`;
    case 'goto':
      return `\t${variable} = ${first};\nagain${at}:\n\tif (!(${test}))\n\t\tgoto done${at};\n\t${body}\n\t${next};\n\tgoto again${at};\ndone${at}:\n\t;`;
  }
}

/** A write of CR3 whose bit 63 comes by way of a variable. */
function valueText(s: Spelling, at: number, keeps: boolean): string {
  const variable = `${s.names[3]}v${at}`;
  const bit = keeps ? 'X86_CR3_PCID_NOFLUSH' : '0';
  const both = s.swapped ? `${bit} | ${variable}` : `${variable} | ${bit}`;
  return `\t{\n\t\tunsigned long ${variable} = build_cr3(pgd, asid);\n\n\t\t${variable} = ${both};\n\t\twrite_cr3(${variable});\n\t}`;
}

/** A whole file's text for a list of steps. */
function source(list: readonly Step[], s: Spelling): string {
  const [start, end, address, counter, name] = s.names;
  const helpers: string[] = [];
  const use = (body: string, at: number): string => {
    const spelled = body.replace(/\baddr\b/g, address);
    if (s.macro && at % 2 === 0) {
      helpers.push(`#define ${name}_m${at}(${address}, asid, pgd) do { ${spelled} } while (0)`);
      return `${name}_m${at}(${address}, asid, pgd);`;
    }
    if (!s.helper) return spelled;
    helpers.push(
      `static void ${name}_h${at}(unsigned long ${address}, u16 asid, pgd_t *pgd)\n{\n\t${spelled}\n}\n`,
    );
    return `${name}_h${at}(${address}, asid, pgd);`;
  };
  const lines = list.map((one, at) => {
    switch (one.kind) {
      case 'operation':
        return `\t${use(one.text, at)}`;
      case 'range':
        return loopText(s, at, address, start, end, `${address} += PAGE_SIZE`, use(one.text, at));
      case 'counted':
        return loopText(s, at, counter, '0', String(one.times), `${counter}++`, use(one.text, at));
      case 'feature':
        return `\tif (${s.swapped ? '!!' : ''}static_cpu_has(X86_FEATURE_${one.feature})) {\n\t\t${use(one.text, at)}\n\t}`;
      case 'callback':
        return `\ton_each_cpu(${name}_cb, NULL, ${one.wait ? '1' : '0'});`;
      case 'equal':
        return `\tif (${s.swapped ? '3 == asid' : 'asid == 3'}) {\n\t\t${use(one.text, at)}\n\t}`;
      case 'huge':
        return loopText(s, at, address, start, end, `${address} += PMD_SIZE`, use(one.text, at));
      case 'mask':
        return `\tfor_each_cpu(${counter}, mm_cpumask(mm)) {\n\t\t${use(one.text, at)}\n\t}`;
      case 'value':
        return valueText(s, at, one.keeps);
      case 'asker': {
        const sides = [`${name}_asker${at}`, 'smp_processor_id()'];
        const test = (s.swapped ? sides.reverse() : sides).join(one.asks ? ' == ' : ' != ');
        helpers.push(
          `static int ${name}_asker${at};\nstatic void ${name}_on${at}(void *info)\n{\n\tif (${test})\n\t\tinvpcid_flush_all();\n}\n`,
        );
        return `\t${name}_asker${at} = smp_processor_id();\n\ton_each_cpu(${name}_on${at}, NULL, 0);`;
      }
    }
  });
  const dead = s.dead ? '#if 0\n\tflush_tlb_all();\n\twrite_cr3(0);\n#endif\n' : '';
  const body = s.wrapped ? `static void ${name}_body` : `void ${name}`;
  const parameters = `(unsigned long ${start}, unsigned long ${end}, u16 asid, pgd_t *pgd, struct mm_struct *mm)`;
  const handOn = `\nvoid ${name}${parameters}\n{\n\t${name}_body(${start}, ${end}, asid, pgd, mm);\n}`;
  return [
    ...helpers,
    `static void ${name}_cb(void *info)\n{\n\tinvpcid_flush_all();\n}\n`,
    `${body}${parameters}\n{`,
    `\tunsigned long ${address} = ${start};\n\tint ${counter};\n`,
    `${dead}${lines.join('\n')}`,
    `}${s.wrapped ? handOn : ''}`,
  ].join('\n');
}

/** A patch that adds a file with the text. */
const addition = (body: string): string => {
  const lines = body.split('\n');
  return [
    'diff --git a/arch/x86/mm/tq.c b/arch/x86/mm/tq.c',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/arch/x86/mm/tq.c',
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map(line => `+${line}`),
    '',
  ].join('\n');
};

const features = fc.subarray(['PTI', 'PCID', 'INVPCID']);

/** Counts of the function that the steps make up: the root. */
async function rootCounts(
  list: readonly Step[],
  s: Spelling,
  on: readonly string[],
): Promise<Record<string, string>> {
  const document = await priced(addition(source(list, s)), { features: on });
  const roots = document.total.patches[0]!.roots.filter(root => root.function === s.names[4]);
  assert.equal(roots.length, 1, document.total.patches[0]!.roots.map(root => root.function).join());
  assert.deepEqual(
    roots[0]!.unknown.filter(({ name }) => name !== 'cycles'),
    [],
  );
  return shown(roots[0]!.delta);
}

/** The counts worked out from the steps themselves. */
function countsOf(list: readonly Step[], on: readonly string[]): Record<string, Record<string, number>> {
  const has = (name: string) => on.includes(name);
  const operation = (body: string): string =>
    body.includes('invlpg') ? 'INVLPG'
    : body.includes('flush_one') ? 'INVPCID_ADDR'
    : body.includes('noflush') ? 'CR3_NOFLUSH'
    : body.includes('invpcid_flush_all') || has('INVPCID') ? 'INVPCID_ALL_GLOBAL'
    : 'CR4_WRITE'; // prettier-ignore
  const counts: Record<string, Record<string, number>> = {};
  const put = (name: string, symbol: string, times: number): void => {
    const of = (counts[name] ??= {});
    of[symbol] = (of[symbol] ?? 0) + times;
  };
  for (const one of list)
    if (one.kind === 'callback') {
      put('IPI', 'c', 1);
      put('INVPCID_ALL_GLOBAL', 'c', 1);
      put('INVPCID_ALL_GLOBAL', '', 1);
      if (one.wait) put('IPI_WAIT', '', 1);
    } else if (one.kind === 'asker') {
      put('IPI', 'c', 1);
      put('INVPCID_ALL_GLOBAL', one.asks ? '' : 'c', 1);
    } else if (one.kind === 'value') put(one.keeps ? 'CR3_NOFLUSH' : 'CR3_FLUSH', '', 1);
    else if (one.kind !== 'feature' || has(one.feature)) {
      const name = operation(one.text);
      // Without INVPCID everything is flushed by taking PGE away and giving it back.
      const each = name === 'CR4_WRITE' ? 2 : 1;
      if (one.kind === 'range' || one.kind === 'huge') put(name, 'n', each);
      else if (one.kind === 'mask') put(name, 'c', each);
      else put(name, '', one.kind === 'counted' ? each * one.times : each);
    }
  return counts;
}

const asText = (counts: Record<string, Record<string, number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(counts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => {
        const terms = Object.entries(of).map(([symbol, times]): Polynomial => ({
          terms: new Map([[symbol, BigInt(times)]]),
        }));
        return [name, print(terms.reduce(add, zero))];
      }),
  );

const runs = { numRuns: 40 };

describe('properties of prices', function () {
  this.timeout(60_000);
  it('the price is that of the steps', async () => {
    await fc.assert(
      fc.asyncProperty(steps, features, async (list, on) => {
        assert.deepEqual(await rootCounts(list, plain, on), asText(countsOf(list, on)));
      }),
      runs,
    );
  });

  it('names, kinds of loops, helpers, macros, swapped operands and dead code change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(steps, spelling, features, async (list, other, on) => {
        assert.deepEqual(await rootCounts(list, other, on), await rootCounts(list, plain, on));
      }),
      runs,
    );
  });

  it('a rewrite in other words prices 0', async () => {
    await fc.assert(
      fc.asyncProperty(steps, spelling, features, async (list, other, on) => {
        const before = source(list, { ...plain, names: other.names }).split('\n');
        const after = source(list, other).split('\n');
        const patch = [
          'diff --git a/arch/x86/mm/tq.c b/arch/x86/mm/tq.c',
          '--- a/arch/x86/mm/tq.c',
          '+++ b/arch/x86/mm/tq.c',
          `@@ -1,${before.length} +1,${after.length} @@`,
          ...before.map(line => `-${line}`),
          ...after.map(line => `+${line}`),
          '',
        ].join('\n');
        const document = await priced(patch, { features: on });
        assert.deepEqual(shown(document.total.delta), {});
      }),
      runs,
    );
  });

  it('comments and white space price 0', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        features,
        fc.constantFrom('\t', ' ', '  /* flush_tlb_all() */ '),
        async (list, on, noise) => {
          const lines = source(list, plain).split('\n');
          const body = lines.flatMap(line =>
            line.startsWith('\t') ? [`-${line}`, `+${line.replace('\t', `\t${noise}`)}`] : [` ${line}`],
          );
          const document = await priced(patchOf('arch/x86/mm/tq.c', body.join('\n')), { features: on });
          for (const hunk of document.hunks) assert.deepEqual(shown(hunk.delta), {});
          assert.deepEqual(shown(document.total.delta), {});
        },
      ),
      { numRuns: 30 },
    );
  });

  it('what only stands around a comment that changes prices 0, with nothing unknown', async () => {
    await fc.assert(
      fc.asyncProperty(steps, spelling, features, fc.nat(), async (list, other, on, place) => {
        const lines = source(list, other)
          .split('\n')
          .map(line => ` ${line}`);
        const inside = lines.findLastIndex(line => line.startsWith(' \tint '));
        const at = inside + 1 + (place % 2);
        lines.splice(at, 0, '-\t/* flush_tlb_all() before */', '+\t/* write_cr3(0) after */');
        const document = await priced(patchOf('arch/x86/mm/tq.c', lines.join('\n')), { features: on });
        for (const hunk of document.hunks) {
          assert.deepEqual(shown(hunk.delta), {});
          assert.deepEqual(hunk.unknown, []);
        }
        assert.deepEqual(shown(document.total.delta), {});
      }),
      { numRuns: 30 },
    );
  });

  it('a total is the sum of its newest patches, a patch that of its roots', async () => {
    const sum = (parts: readonly { readonly delta: Counts }[]): Record<string, string> => {
      const total = new Map<string, Polynomial>();
      for (const { delta } of parts)
        for (const [name, count] of delta) total.set(name, add(total.get(name) ?? zero, count));
      return shown(new Map([...total].filter(([, count]) => count.terms.size > 0)));
    };
    await fc.assert(
      fc.asyncProperty(steps, steps, features, async (one, two, on) => {
        const mail = (subject: string, patch: string) =>
          `From 0000000000000000000000000000000000000001 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: Tue, 5 Mar 2024 10:00:00 +0100\nSubject: ${subject}\n\nText.\n---\n${patch}--\u0020\n2.43.0\n\n`;
        const name = { ...plain, names: ['start', 'end', 'addr', 'i', 'tq_other'] as const };
        const document = await priced(
          mail('[PATCH 1/2] x86: one', addition(source(one, plain))) +
            mail('[PATCH v2 1/2] x86: one', addition(source(two, plain))) +
            mail('[PATCH v2 2/2] x86: two', addition(source(two, name)).replaceAll('tq.c', 'tq2.c')),
          { features: on },
        );
        const { patches, delta } = document.total;
        assert.deepEqual(patches.map(patch => patch.supersededBy), [2, null, null]); // prettier-ignore
        assert.deepEqual(shown(delta), sum(patches.filter(patch => patch.supersededBy === null)));
        for (const patch of patches) assert.deepEqual(shown(patch.delta), sum(patch.roots));
      }),
      { numRuns: 20 },
    );
  });

  it('cost never falls with pages below the ceiling', async () => {
    await fc.assert(
      fc.asyncProperty(steps, features, fc.integer({ min: 1, max: 32 }), async (list, on, n) => {
        const at = async (pages: number): Promise<number[]> => {
          const settings = { features: on, values: { n: pages }, nGiven: true };
          const document = await priced(addition(source(list, plain)), settings);
          return [...document.total.delta.values()].map(count => evaluate(count, { n: pages, c: 3 })!);
        };
        const [fewer, more] = [await at(n), await at(n + 1)];
        assert.ok(fewer.every((value, index) => value <= more[index]!));
      }),
      { numRuns: 20 },
    );
  });
});
