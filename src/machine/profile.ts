/**
 * Machine profiles: what one operation costs on one machine, each figure with its source, kind and range.
 * The data are one JSON file per machine in `profiles/`; `registry.ts` lists them, `price.ts` makes prices of them.
 */

/**
 * How a figure was come by. `measured`: a published measurement of this part or of a neighbour that the note names;
 * `vendor`: CPUID or a vendor's manual; `derived`: arithmetic on published numbers, shown in the note;
 * `estimated`: a judgement with a deliberately wide range.
 */
export type FigureKind = 'measured' | 'vendor' | 'derived' | 'estimated';

/** One figure as published, in its own unit. */
export interface PublishedFigure {
  /** null, with `low` and `high`: what it describes does not exist on this machine. */
  readonly value: number | null;
  /** The range that the sources or the reasoning allow; not a standard deviation. */
  readonly low: number | null;
  readonly high: number | null;
  readonly unit: 'cycles' | 'ns' | 'us' | 'ratio';
  readonly kind: FigureKind;
  /** Ids of {@link Source}s; at least one. */
  readonly sources: readonly string[];
  /** True when it was computed from a published row that is kept for validation: then that row is not predicted. */
  readonly holdout: boolean;
  /** False: quoted from memory, a hint only. null: an estimate, there was nothing to read. */
  readonly read: boolean | null;
  /** Which clock the cycles are of, where known. */
  readonly clock: string | null;
  readonly note: string;
  /** Of a machine file: what is wrong with the figure, so that nothing can be priced with it. */
  readonly wrong?: string;
}

/** A published figure that goes into a price, in cycles; `factor` −1 where it is taken off. */
export interface FigurePart {
  readonly id: string;
  readonly factor: 1 | -1;
  readonly low: number;
  readonly high: number;
  readonly kind: FigureKind;
}

/** The price of one operation, in cycles of the profile's clock. */
export interface Figure {
  /** null, with `low` and `high`: it does not exist on this machine, or nobody knows; `note` says which. */
  readonly cycles: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly kind: FigureKind;
  /** Ids of {@link Source}s. Empty only where `cycles` is null. */
  readonly source: readonly string[];
  readonly note: string;
  /** Set when the published figure was in another unit, with the conversion said. */
  readonly converted: string | null;
  /** See {@link PublishedFigure.holdout}. */
  readonly holdout: boolean;
  /** The published figures that it is made of. */
  readonly parts?: readonly FigurePart[];
}

/** Where figures come from. */
export interface Source {
  readonly who: string;
  readonly title: string;
  /** Year. */
  readonly date: string;
  /** Commit, message-id, document number or address. */
  readonly reference: string;
  /** Whether the text that holds the number was read. */
  readonly read: boolean;
  readonly note?: string;
}

/** One translation cache. */
export interface TlbStructure {
  readonly id: string;
  readonly level: 'L1' | 'L2';
  readonly holds: 'data' | 'code' | 'store' | 'both';
  readonly pageSizes: readonly ('4K' | '2M' | '1G')[];
  /** 0: there is none. */
  readonly entries: number;
  /** Associativity; `full` for fully associative; null where not known or there are no entries. */
  readonly ways: number | 'full' | null;
  /** Id of the structure whose array holds these entries too; then `entries` is that array's. */
  readonly sharedWith?: string;
  readonly kind: FigureKind;
  readonly sources: readonly string[];
  readonly note: string;
}

/** A machine. All clocks in GHz. */
export interface MachineProfile {
  readonly id: string;
  readonly name: string;
  /** A word or two, for narrow places. */
  readonly shortName: string;
  readonly vendor: string;
  readonly architecture: 'x86' | 'arm64';
  readonly microarchitecture: string;
  /** CPUID family, model, stepping, where known. */
  readonly identification: string | null;
  readonly about: string;
  readonly topology: {
    readonly sockets: number;
    readonly coresPerSocket: number;
    readonly threadsPerCore: number;
    readonly sources: readonly string[];
    readonly note: string;
  };
  readonly clock: {
    /** What nanoseconds are converted with. */
    readonly assumedCoreGhz: number;
    readonly tscGhz: number | null;
    readonly baseGhz: number | null;
    readonly observedGhz: number | null;
    readonly sources: readonly string[];
    readonly note: string;
  };
  /** Features that are on by default, named as on the command line. */
  readonly features: readonly string[];
  /** Features that the hardware does not have: turning one on has no price here. */
  readonly lacks: readonly string[];
  readonly hardware: {
    readonly meltdownAffected: boolean;
    readonly smt: boolean;
    /** arm64. */
    readonly asidBits: number | null;
    /** Strides that one INVLPGB can cover; null without INVLPGB. */
    readonly invlpgbMaxPages: number | null;
    readonly sources: readonly string[];
    readonly note: string;
  };
  readonly tlb: readonly TlbStructure[];
  /** null where the number is not known. */
  readonly pageWalkers: {
    readonly count: number;
    readonly kind: FigureKind;
    readonly sources: readonly string[];
    readonly note: string;
  } | null;
  /** What is known about the paging-structure cache. */
  readonly pageWalkCache: string;
  /** Figures by id; `figureTitles.json` has their titles. */
  readonly figures: Readonly<Record<string, PublishedFigure>>;
}
