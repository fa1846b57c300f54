/** The text files below `models/linux`, path → text; made by the bundler (`scripts/bundles.mjs`). */
declare module 'models:linux' {
  export const files: Readonly<Record<string, string>>;
}
