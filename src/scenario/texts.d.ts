/** Scenario files as texts; made by the bundler (`loader` in `scripts/bundles.mjs`). */
declare module '*.tlbscope.jsonc' {
  const text: string;
  export { text as default };
}
