/** The text files below `models/linux`, path → text; made by the bundler (`scripts/bundles.mjs`). */
declare module 'models:linux' {
  export const files: Readonly<Record<string, string>>;
}

/** The same for `models/xen`. */
declare module 'models:xen' {
  export const files: Readonly<Record<string, string>>;
}
