/** Machine files: what they may say, where mistakes are reported, and what is left of a file with wrong figures. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import fc from 'fast-check';
import { parse } from 'jsonc-parser/lib/esm/main.js';
import { runCommandLine } from '../../../../src/cli/commandLine';
import { priceOf } from '../../../../src/machine/price';
import { allMachines, figureTitles, findMachine, machineProfiles, setUserMachines, sourceLine } from '../../../../src/machine/registry'; // prettier-ignore
import { checkMachineFile } from '../../../../src/scenario/machineFile/check';

const example = readFileSync('examples/09-own-machine.tlbscope-machine.jsonc', 'utf8');

interface Schema {
  readonly properties: {
    readonly figures: { readonly properties: Record<string, unknown> };
    readonly extends: { readonly enum: readonly string[] };
  };
}
const schema = JSON.parse(readFileSync('schemas/machine.schema.json', 'utf8')) as Schema;

const whole = {
  id: 'box',
  architecture: 'x86',
  topology: { sockets: 1, coresPerSocket: 2, threadsPerCore: 1 },
  clock: { assumedCoreGhz: 3 },
  features: ['PCID'],
  lacks: ['INVPCID'],
  tlb: [{ id: 'l1', level: 'L1', holds: 'data', pageSizes: ['4K'], entries: 64, ways: 4 }],
  figures: {
    invlpg: { value: 150, unit: 'cycles', kind: 'measured', source: 'own run' },
    ipi_icr_write: { value: 60, low: 40, high: 90, unit: 'ns', kind: 'estimated', source: 'a guess' },
  },
};

const check = (value: unknown) => checkMachineFile(typeof value === 'string' ? value : JSON.stringify(value));
const messages = (value: unknown): string[] => check(value).diagnostics.map(({ message }) => message);

describe('machine files', function () {
  this.timeout(30_000);

  it('the example is right, and takes what it does not say from the machine that it extends', () => {
    const { profile, diagnostics } = check(example);
    assert.deepEqual(diagnostics, []);
    const base = findMachine('skylake-client')!;
    assert.equal(profile!.id, 'build-box');
    assert.deepEqual(profile!.tlb, base.tlb);
    const price = priceOf(profile!, 'INVLPG');
    assert.ok(!('unknown' in price));
    assert.deepEqual([price.cycles, price.low, price.high, price.kind], [210, 195, 260, 'measured']);
    assert.match(sourceLine(price.source[0]!), /a loop of 10,000 in a module/);
    assert.deepEqual(priceOf(profile!, 'LFENCE'), priceOf(base, 'LFENCE'));
    assert.ok('unknown' in priceOf(profile!, 'CR4_WRITE'));
  });

  it('a whole machine: ranges default to the value, nanoseconds to its clock', () => {
    const { profile, diagnostics } = check(whole);
    assert.deepEqual(diagnostics, []);
    const invlpg = priceOf(profile!, 'INVLPG');
    assert.ok(!('unknown' in invlpg));
    assert.deepEqual([invlpg.low, invlpg.cycles, invlpg.high], [150, 150, 150]);
    assert.match((priceOf(profile!, 'INVPCID_ADDR') as { unknown: string }).unknown, /lacks INVPCID/);
    assert.match((priceOf(profile!, 'IPI') as { unknown: string }).unknown, /no figure for IPI/);
  });

  it('a figure that makes no sense is a diagnostic at its place, and unknown with the reason', () => {
    const text = '{\n  "extends": "haswell",\n  "id": "box",\n  "figures": {\n    "invlpg": { "value": 100, "low": 120, "unit": "cycles", "kind": "measured", "source": "x" }\n  }\n}'; // prettier-ignore
    const { profile, diagnostics } = check(text);
    const [only] = diagnostics;
    assert.equal(diagnostics.length, 1);
    assert.deepEqual([only!.line, text.slice(only!.offset, only!.offset + only!.length)], [5, '120']);
    const price = priceOf(profile!, 'INVLPG');
    assert.ok('unknown' in price);
    assert.match(price.unknown, /cannot be used: line 5: the value 100 is not between low 120 and high 100/);
  });

  for (const [figure, expected] of [
    [{ value: 0 }, /'value' is above 0/],
    [{ value: -5 }, /'value' is above 0/],
    [{ value: 1e300 }, /at most 1e10/],
    [{ value: '5' }, /'value' is a number/],
    [{ value: 5, high: 4 }, /not between/],
    [{ value: 5, unit: 'ms' }, /'unit' is one of/],
    [{ value: 5, kind: 'guess' }, /'kind' is one of/],
    [{ value: 5, kind: 'estimated' }, /an estimate has a range/],
    [{ value: 5, source: '' }, /'source' of invlpg is empty/],
    [{ value: 5, colour: 1 }, /a figure has no 'colour'/],
    [{}, /'value' is missing/],
  ] as const)
    it(`refuses ${JSON.stringify(figure)}`, () => {
      const invlpg = { unit: 'cycles', kind: 'measured', source: 'x', ...figure };
      const found = messages({ extends: 'haswell', id: 'box', figures: { invlpg } });
      assert.equal(found.length, 1, found.join());
      assert.match(found[0]!, expected);
    });

  for (const [name, value, expected] of [
    ['no id', { extends: 'haswell' }, /'id' is missing/],
    ['the id of a bundled machine', { extends: 'haswell', id: 'haswell' }, /comes with TLBScope/],
    ['an id of other characters', { extends: 'haswell', id: 'My Box' }, /'id' is made of/],
    ['a machine that there is not', { extends: 'pentium', id: 'box' }, /no machine 'pentium'; there are/],
    ['another architecture', { extends: 'haswell', id: 'box', architecture: 'arm64' }, /cannot extend it/],
    [
      'a figure that there is not',
      { extends: 'haswell', id: 'box', figures: { tea: null } },
      /no figure 'tea'/,
    ],
    ['a member that there is not', { extends: 'haswell', id: 'box', speed: 1 }, /a machine has no 'speed'/],
    [
      'a feature on and lacking',
      { extends: 'haswell', id: 'box', lacks: ['PTI'] },
      /PTI is a feature that is on/,
    ],
    ['a clock of 0', { extends: 'haswell', id: 'box', clock: { assumedCoreGhz: 0 } }, /from 0\.1 to 20/],
    [
      'half a topology',
      { extends: 'haswell', id: 'box', topology: { sockets: 1 } },
      /lacks 'coresPerSocket'/,
    ],
    ['nothing to extend', { id: 'box' }, /'architecture' is missing/],
    ['a TLB that does not fit', { ...whole, tlb: [{ ...whole.tlb[0], ways: 5 }] }, /cannot be shared out/],
    ['a list', [], /a machine is an object/],
    ['an empty file', '', /the file is empty|a value is expected/],
  ] as const)
    it(`${name} is a diagnostic`, () => {
      assert.ok(messages(value).some(message => expected.test(message)), messages(value).join()); // prettier-ignore
    });

  it('damaged files give diagnostics with positions inside the text, never an exception', () => {
    fc.assert(
      fc.property(fc.nat(example.length - 1), fc.nat(40), fc.string({ maxLength: 12 }), (at, length, put) => {
        const text = example.slice(0, at) + put + example.slice(at + length);
        for (const { offset, line, message } of check(text).diagnostics) {
          assert.ok(offset >= 0 && offset <= text.length && line >= 1 && message.length > 3);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the schema knows the figures and the machines, and agrees on the examples', () => {
    assert.deepEqual(
      Object.keys(schema.properties.figures.properties).sort(),
      Object.keys(figureTitles).sort(),
    );
    assert.deepEqual(schema.properties.extends.enum, machineProfiles.map(({ id }) => id)); // prettier-ignore
    const valid = new Ajv({ allowUnionTypes: true, strict: false }).compile(schema);
    assert.ok(valid(parse(example)), JSON.stringify(valid.errors));
    assert.ok(valid(whole), JSON.stringify(valid.errors));
    assert.ok(!valid({ id: 'box' }));
    assert.ok(!valid({ extends: 'haswell', id: 'box', figures: { invlpg: { value: -1, unit: 'cycles', kind: 'measured', source: 'x' } } })); // prettier-ignore
  });

  it('machines of the user are found beside the bundled ones, and cannot replace those', () => {
    const { profile } = check(example);
    setUserMachines([profile!, { ...profile!, id: 'haswell' }]);
    assert.equal(findMachine('build-box'), profile);
    assert.notEqual(findMachine('haswell')!.name, profile!.name);
    assert.equal(allMachines().length, machineProfiles.length + 1);
    setUserMachines([]);
    assert.equal(findMachine('build-box'), null);
  });

  describe('on the command line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'machine-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const run = async (...line: string[]): Promise<{ code: number; out: string; error: string }> => {
      let [out, error] = ['', ''];
      const code = await runCommandLine(line, {
        out: text => void (out += text),
        error: text => void (error += text),
      });
      return { code, out, error };
    };
    const file = (value: unknown): string => {
      const path = join(folder, 'one.tlbscope-machine.json');
      writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
      return path;
    };

    it('counts stay, cycles are unknown and say why, where a figure cannot be used', async () => {
      const path = file({ extends: 'haswell', id: 'box', figures: { invlpg: { value: -1, unit: 'cycles', kind: 'measured', source: 'x' } } }); // prettier-ignore
      const { code, out, error } = await run('cost', 'examples/01-user-flush-deferred.patch', '--machine', path, '--json'); // prettier-ignore
      assert.equal(code, 0);
      assert.match(error, /one\.tlbscope-machine\.json:1:\d+: invlpg: 'value' is above 0/);
      const { total } = JSON.parse(out) as { total: { delta: Record<string, string>; cycles: unknown; noCycles: string } }; // prettier-ignore
      assert.equal(total.delta['INVLPG'], 'n');
      assert.equal(total.cycles, null);
      assert.match(total.noCycles, /the figure invlpg of box cannot be used/);
    });

    it('a file that gives no machine is one line and exit 2', async () => {
      const { code, out, error } = await run('machines', file('{ "id": '));
      assert.deepEqual([code, out], [2, '']);
      assert.equal(error.trim().split('\n').length, 1);
    });

    it('shows one machine, also as JSON', async () => {
      const { code, out } = await run('machines', file({ extends: 'haswell', id: 'box' }), '--json');
      assert.equal(code, 0);
      assert.equal((JSON.parse(out) as { machines: { id: string }[] }).machines[0]!.id, 'box');
    });
  });
});
