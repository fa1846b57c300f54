import { buildProduct } from './bundles.mjs';
await buildProduct();
