/**
 * A second TLB of x86, written plainly with Maps, strings and bigints and without a look at the machine's code: what
 * it holds is compared with the machine after random operations. It follows the manual's rules directly.
 */
import { Memory } from './memory';

const bit = (n: number): bigint => 1n << BigInt(n);
const sizeOf = [0n, 0x1000n, 0x20_0000n, 0x4000_0000n, 0x80_0000_0000n];

interface Translation {
  pcid: number;
  global: boolean;
  /** First address and level of what is cached, and level of the leaf it comes from. */
  at: bigint;
  level: number;
  leaf: number;
  frame: bigint;
  write: boolean;
  user: boolean;
  execute: boolean;
  dirty: boolean;
}

interface Upper {
  pcid: number;
  at: bigint;
  level: number;
  table: number;
  write: boolean;
  user: boolean;
  execute: boolean;
}

/** A set-associative cache: a Map in the order of use, the oldest first. */
class Cache<T> {
  readonly entries = new Map<string, T>();

  constructor(
    private readonly sets: number,
    private readonly ways: number,
    private readonly number: (entry: T) => bigint,
  ) {}

  use(key: string, entry: T): void {
    this.entries.delete(key);
    const set = this.number(entry) % BigInt(this.sets);
    const inSet = [...this.entries].filter(([, other]) => this.number(other) % BigInt(this.sets) === set);
    if (inSet.length >= this.ways) this.entries.delete(inSet[0]![0]);
    this.entries.set(key, entry);
  }

  drop(which: (entry: T) => boolean): void {
    for (const [key, entry] of [...this.entries]) if (which(entry)) this.entries.delete(key);
  }
}

const keyOf = (e: Translation): string => `${e.global ? 'g' : e.pcid}:${e.at}/${e.level}`;
const upperKey = (e: Upper): string => `${e.pcid}:${e.at}/${e.level}`;

export interface ReferenceOptions {
  readonly amd: boolean;
  readonly pieces: boolean;
  readonly first: readonly [number, number];
  readonly second: readonly [number, number];
  readonly paging: number;
}

export class Reference {
  readonly memory = new Memory();
  pge = true;
  pcide = true;
  smep = false;
  tce = false;
  pcid = 0;
  root = 0;
  error = 0;
  readonly first: Cache<Translation>;
  readonly second: Cache<Translation>;
  readonly upper: Cache<Upper>[];

  constructor(private readonly options: ReferenceOptions) {
    const number = (e: Translation): bigint => e.at / sizeOf[e.level]!;
    this.first = new Cache(...options.first, number);
    this.second = new Cache(...options.second, number);
    this.upper = [2, 3, 4].map(() => new Cache(1, options.paging, (e: Upper) => e.at));
  }

  private current(): number {
    return this.pcide ? this.pcid : 0;
  }

  private find(cache: Cache<Translation>, va: bigint): Translation | null {
    for (const level of [1, 2, 3]) {
      const at = va - (va % sizeOf[level]!);
      for (const tag of [String(this.current()), 'g']) {
        const found = cache.entries.get(`${tag}:${at}/${level}`);
        if (found) return found;
      }
    }
    return null;
  }

  private allows(e: { write: boolean; user: boolean; execute: boolean }, kind: number): boolean {
    const user = (kind & 4) !== 0;
    if (user && !e.user) return false;
    if ((kind & 1) !== 0 && !e.write) return false;
    if ((kind & 2) === 0) return true;
    return e.execute && (user || !this.smep || !e.user);
  }

  /** 0, or 14 with `error`. */
  access(va: bigint, kind: number): { result: number; frame: bigint; hit: number } {
    const write = (kind & 1) !== 0;
    const none = { result: 14, frame: 0n, hit: 0 };
    let found = this.find(this.first, va);
    let hit = 1;
    if (!found) {
      found = this.find(this.second, va);
      hit = 2;
    }
    if (found) {
      if (!this.allows(found, kind)) {
        this.fault(va, (write ? 2 : 0) | (kind & 4) | (kind & 2 ? 16 : 0) | 1);
        return { ...none, hit };
      }
      if (!write || found.dirty) {
        if (hit === 1) this.first.use(keyOf(found), found);
        else {
          this.second.use(keyOf(found), found);
          this.put(this.first, found, va);
        }
        return { result: 0, frame: found.frame + (va - found.at) / 0x1000n, hit };
      }
    }
    const code = (write ? 2 : 0) | (kind & 4) | (kind & 2 ? 16 : 0);
    const walked = this.walk(va, true);
    if (!walked) {
      this.fault(va, code);
      return none;
    }
    if (!this.allows(walked.leaf, kind)) {
      this.fault(va, code | 1);
      return none;
    }
    this.fill(walked, va, write);
    return { result: 0, frame: walked.leaf.frame + (va - walked.leaf.at) / 0x1000n, hit: 0 };
  }

  speculate(va: bigint): boolean {
    const walked = this.walk(va, true);
    if (!walked) return false;
    this.fill(walked, va, false);
    return true;
  }

  private fault(va: bigint, error: number): void {
    this.error = error;
    this.dropPage(va, this.current(), true, true);
    this.dropUpper(e => e.pcid === this.current() && this.covers(e, va));
  }

  private covers(e: { at: bigint; level: number }, va: bigint): boolean {
    return va >= e.at && va < e.at + sizeOf[e.level]!;
  }

  /** What the entries say now, from the deepest cached upper entry down. */
  private walk(va: bigint, cached: boolean) {
    const allowed = { write: true, user: true, execute: true };
    let table = this.root;
    let level = 4;
    for (const at of [2, 3, 4]) {
      const key = `${this.current()}:${va - (va % sizeOf[at]!)}/${at}`;
      const upper = cached ? this.upper[at - 2]!.entries.get(key) : undefined;
      if (!upper) continue;
      this.upper[at - 2]!.use(key, upper);
      Object.assign(allowed, { write: upper.write, user: upper.user, execute: upper.execute });
      table = upper.table;
      level = at - 1;
      break;
    }
    const path: { table: number; index: number; entry: bigint; upper: Upper | null }[] = [];
    for (; ; level--) {
      const index = Number((va / sizeOf[level]!) % 512n);
      const entry = this.memory.tables.get(table)?.get(index) ?? 0n;
      if ((entry & 1n) === 0n) return null;
      allowed.write &&= (entry & 2n) !== 0n;
      allowed.user &&= (entry & 4n) !== 0n;
      allowed.execute &&= (entry & bit(63)) === 0n;
      const target = (entry >> 12n) & (bit(40) - 1n);
      const at = va - (va % sizeOf[level]!);
      if (level > 1 && (entry & 0x80n) === 0n) {
        path.push({
          table,
          index,
          entry,
          upper: { pcid: this.current(), at, level, table: Number(target), ...allowed },
        });
        table = Number(target);
        continue;
      }
      path.push({ table, index, entry, upper: null });
      const global = this.pge && (entry & 0x100n) !== 0n;
      const leaf: Translation = {
        ...{ pcid: this.current(), global, at, level, leaf: level, frame: target, ...allowed },
        dirty: (entry & 0x40n) !== 0n,
      };
      return { path, leaf };
    }
  }

  private fill(walked: NonNullable<ReturnType<Reference['walk']>>, va: bigint, write: boolean): void {
    for (const { table, index, entry, upper } of walked.path) {
      const marked = entry | 0x20n | (upper === null && write ? 0x40n : 0n);
      this.memory.tables.get(table)!.set(index, marked);
      if (upper) this.upper[upper.level - 2]!.use(upperKey(upper), upper);
    }
    const leaf = { ...walked.leaf, dirty: walked.leaf.dirty || write };
    this.put(this.second, leaf, va);
    this.put(this.first, leaf, va);
  }

  private put(cache: Cache<Translation>, source: Translation, va: bigint): void {
    let entry = source;
    if (this.options.pieces && source.level > 1) {
      const at = va - (va % 0x1000n);
      entry = { ...source, at, level: 1, frame: source.frame + (at - source.at) / 0x1000n };
    }
    cache.use(keyOf(entry), entry);
  }

  private dropTlb(which: (entry: Translation) => boolean): void {
    this.first.drop(which);
    this.second.drop(which);
  }

  private dropUpper(which: (entry: Upper) => boolean): void {
    for (const cache of this.upper) cache.drop(which);
  }

  /** The page, with every piece of the mapping that it is part of. */
  private dropPage(va: bigint, pcid: number, own: boolean, globals: boolean): void {
    this.dropTlb(e => {
      const mapping = { at: e.at - (e.at % sizeOf[e.leaf]!), level: e.leaf };
      return this.covers(mapping, va) && (e.global ? globals : own && e.pcid === pcid);
    });
  }

  invlpg(va: bigint): void {
    const pcid = this.current();
    this.dropPage(va, pcid, true, true);
    if (!this.options.amd) this.dropUpper(e => e.pcid === pcid);
    else if (this.tce) this.dropUpper(e => e.pcid === pcid && this.covers(e, va));
    else this.dropUpper(() => true);
  }

  invpcid(type: number, pcid: number, va: bigint): number {
    if (type < 2 && pcid !== 0 && !this.pcide) return 13;
    if (type === 0) {
      this.dropPage(va, pcid, true, false);
      if (this.options.amd && !this.tce) this.dropUpper(() => true);
      else this.dropUpper(e => e.pcid === pcid && this.covers(e, va));
    } else if (type === 1) this.dropContext(pcid);
    else {
      this.dropTlb(e => type === 2 || !e.global);
      this.dropUpper(() => true);
    }
    return 0;
  }

  private dropContext(pcid: number): void {
    this.dropTlb(e => !e.global && e.pcid === pcid);
    this.dropUpper(e => e.pcid === pcid);
  }

  cr3(root: number, pcid: number, keep: boolean): number {
    if (keep && !this.pcide) return 13;
    this.root = root;
    this.pcid = pcid;
    if (!keep) this.dropContext(this.current());
    return 0;
  }

  cr4(pge: boolean, pcide: boolean, smep: boolean): number {
    if (pcide && !this.pcide && this.pcid !== 0) return 13;
    const before = this.current();
    const everything = pge !== this.pge || (this.pcide && !pcide);
    const context = smep && !this.smep;
    Object.assign(this, { pge, pcide, smep });
    if (everything) {
      this.dropTlb(() => true);
      this.dropUpper(() => true);
    } else if (context) this.dropContext(before);
    return 0;
  }

  /** The page vanishes from the TLB. */
  evict(va: bigint): void {
    this.dropPage(va, this.current(), true, true);
  }

  /** Everything cached, as sorted text. */
  contents(): string[] {
    const show = (id: string, e: Translation): string =>
      `${id} ${e.global ? 'g' : e.pcid}:${e.at.toString(16)}/${e.level}/${e.leaf} ${e.frame.toString(16)} ${this.flags(e)}${e.dirty ? 'd' : ''}`;
    return [
      ...[...this.first.entries.values()].map(e => show('first', e)),
      ...[...this.second.entries.values()].map(e => show('second', e)),
      ...this.upper.flatMap(cache =>
        [...cache.entries.values()].map(
          e => `paging ${e.pcid}:${e.at.toString(16)}/${e.level} ${e.table.toString(16)} ${this.flags(e)}`,
        ),
      ),
    ].sort();
  }

  private flags(e: { write: boolean; user: boolean; execute: boolean }): string {
    return `${e.write ? 'w' : ''}${e.user ? 'u' : ''}${e.execute ? 'x' : ''}`;
  }
}
