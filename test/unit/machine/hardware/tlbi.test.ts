/** Random TLBIs and INVLPGBs on random contents: what is left is what a plain statement of the rule leaves. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { CachedEntry, Hardware } from '../../../../src/machine/hardware';
import { access, bench, hi, join, lo, structure } from './memory';

const size = (level: number): bigint => 1n << BigInt(12 + 9 * (level - 1));
const start = (e: CachedEntry): bigint => join(e.lo, e.hi);
const isPaging = (e: CachedEntry): boolean => e.structure.endsWith('cache');
const show = (e: CachedEntry): string =>
  `${e.structure} ${e.global ? 'g' : e.tag}:${start(e).toString(16)}/${e.level}/${e.leafLevel}`;

/** First address and length of the mapping that an entry is part of. */
function mapping(e: CachedEntry): [bigint, bigint] {
  const whole = size(e.leafLevel);
  return [start(e) - (start(e) % whole), whole];
}

const covers = (e: CachedEntry, va: bigint): boolean => {
  const [from, length] = mapping(e);
  return va >= from && va < from + length;
};

/** Places of both halves of the address space: address and level of the mapping. */
const low = [
  [0x1000n, 1],
  [0x3000n, 1],
  [0x201000n, 1],
  [0x40000000n, 2],
  [0x40200000n, 2],
  [0x80000000n, 3],
  [0x7fff_ffff_f000n, 1],
] as const;
const high = low.map(([va, level]) => [va | 0xffff_8000_0000_0000n, level] as const);
const places = [...low, ...high];
const tlb = [
  structure('first', 'L1', 'both', ['4K', '2M'], 64, 'full'),
  structure('test2', 'L2', 'both', ['4K', '2M', '1G'], 128, 'full'),
];

const contents = fc.array(
  fc.record({
    place: fc.nat(places.length - 1),
    offset: fc.nat(511),
    context: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 24 },
);

/** An address in the page of a place. */
const at = (place: number, offset: number): bigint => {
  const [va, level] = places[place]!;
  return level === 1 ? va : va + BigInt(offset) * 0x1000n;
};

function check(machine: Hardware, act: () => void, goes: (e: CachedEntry) => boolean): void {
  const before = machine.translation.entries(0);
  act();
  assert.deepEqual(machine.translation.entries(0).map(show), before.filter(e => !goes(e)).map(show));
}

const forms = [
  'vmalle1',
  'aside1',
  'vae1',
  'vale1',
  'vaae1',
  'vaale1',
  'rvae1',
  'rvale1',
  'rvaae1',
  'rvaale1',
];

describe('TLBI on random contents', () => {
  for (const fragments of ['missing', 'always'] as const)
    it(`drops what the rule says, large pages ${fragments === 'always' ? 'in pieces' : 'whole'}`, () => {
      const { memory, machine } = bench({ profile: 'neoverse-n1', cpus: 1, lacks: [], tlb, fragments });
      const arm64 = machine.arm64!;
      const roots = [memory.table(), memory.table()];
      places.forEach(([va, level], n) => {
        const flags = (level === 1 ? 3n : 1n) | (1n << 6n) | (1n << 10n) | (n % 3 === 0 ? 0n : 1n << 11n);
        memory.set(roots[va >> 63n ? 1 : 0]!, va, level, flags, 4, 3n);
      });
      const operation = fc.record({
        form: fc.nat(forms.length - 1),
        place: fc.nat(places.length - 1),
        offset: fc.nat(511),
        asid: fc.integer({ min: 0, max: 3 }),
        ttl: fc.constantFrom(0, 0, 0, 4, 5, 6, 7, 0b1011),
        scale: fc.nat(3),
        num: fc.nat(31),
      });
      fc.assert(
        fc.property(contents, operation, (filled, { form, place, offset, asid, ttl, scale, num }) => {
          arm64.reset(0, roots[0]!, roots[1]!, 0);
          for (const one of filled) {
            arm64.writeTtbr(0, 1, roots[1]! << 12, one.context << 16);
            arm64.isb(0);
            assert.equal(access(machine, 0, at(one.place, one.offset)), 0);
          }
          const name = forms[form]!;
          const ranged = name.startsWith('r');
          const last = name.includes('l') && name !== 'vmalle1';
          const any = name.includes('aa');
          const va = at(place, offset);
          const level = ranged ? ttl & 3 : ttl;
          const leaf = ranged
            ? level === 0
              ? 0
              : 4 - level
            : ttl < 4 || (ttl & 3) === 0
              ? 0
              : 4 - (ttl & 3);
          const wrongGranule = !ranged && ttl >= 8;
          const pages = BigInt(num + 1) << BigInt(5 * scale + 1);
          const xt = ranged
            ? (BigInt(asid) << 48n) |
              (1n << 46n) |
              (BigInt(scale) << 44n) |
              (BigInt(num) << 39n) |
              (BigInt(level) << 37n) |
              ((va >> 12n) & 0x1fffffffffn)
            : (BigInt(asid) << 48n) | (BigInt(ttl) << 44n) | ((va >> 12n) & 0xfffffffffffn);
          const goes = (e: CachedEntry): boolean => {
            if (name === 'vmalle1') return true;
            if (name === 'aside1') return !e.global && e.tag === asid;
            if (wrongGranule || (isPaging(e) && last)) return false;
            if (leaf !== 0 && (isPaging(e) ? e.level <= leaf : e.leafLevel !== leaf)) return false;
            if (!e.global && !any && e.tag !== asid) return false;
            const [from, length] = mapping(e);
            return ranged ? from < va + pages * 0x1000n && from + length > va : covers(e, va);
          };
          check(
            machine,
            () => {
              assert.equal(arm64.tlbi(0, name, lo(xt), hi(xt)), 0);
              assert.equal(arm64.dsb(0, 'nsh', true), 0);
            },
            goes,
          );
        }),
        { numRuns: 3000 },
      );
    }).timeout(60_000);
});

describe('INVLPGB on random contents', () => {
  for (const tce of [false, true])
    it(`drops what the selectors say, TCE ${tce ? 'set' : 'clear'}`, () => {
      const { memory, machine, root } = bench({ profile: 'zen4', cpus: 1, tlb });
      const x86 = machine.x86!;
      places.forEach(([va, level], n) =>
        memory.set(root, va, level, 7n | (level > 1 ? 0x80n : 0n) | (n % 3 === 0 ? 0x100n : 0n)),
      );
      const operation = fc.record({
        selectors: fc.nat(31),
        place: fc.nat(places.length - 1),
        offset: fc.nat(511),
        pcid: fc.integer({ min: 0, max: 3 }),
        asid: fc.nat(1),
        extra: fc.nat(7),
        large: fc.boolean(),
      });
      fc.assert(
        fc.property(contents, operation, (filled, { selectors, place, offset, pcid, asid, extra, large }) => {
          x86.reset(0, root, ['PGE', 'PCID', 'INVPCID', ...(tce ? ['TCE'] : [])]);
          for (const one of filled) {
            assert.equal(x86.writeCr3(0, (root << 12) | one.context, 1 << 31), 0);
            assert.equal(access(machine, 0, at(one.place, one.offset)), 0);
          }
          const va = at(place, offset);
          const has = (bit: number): boolean => (selectors & bit) !== 0;
          const [byAddress, byPcid, byAsid, globals, finalOnly] = [1, 2, 4, 8, 16].map(has);
          const named = Array.from(
            { length: extra + 1 },
            (_, n) => va + BigInt(n) * (large ? 0x200000n : 0x1000n),
          );
          const goes = (e: CachedEntry): boolean => {
            if (byAsid && asid !== 0) return false;
            if (isPaging(e)) {
              if (finalOnly) return false;
              if (byAddress && !tce) return true;
              if (byPcid && e.tag !== pcid) return false;
              return !byAddress || named.some(address => covers(e, BigInt.asUintN(64, address)));
            }
            if (e.global ? !globals : byPcid && e.tag !== pcid) return false;
            return !byAddress || named.some(address => covers(e, BigInt.asUintN(64, address)));
          };
          check(
            machine,
            () => {
              const ecx = extra | (large ? 1 << 31 : 0);
              assert.equal(x86.invlpgb(0, lo(va) | selectors, hi(va), ecx, (pcid << 16) | asid), 0);
              assert.equal(x86.tlbsync(0, true), 0);
            },
            goes,
          );
        }),
        { numRuns: 3000 },
      );
    }).timeout(60_000);
});
