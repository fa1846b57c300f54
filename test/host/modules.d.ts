/** Mocha's build for browsers: it puts `Mocha` on the global object. It runs in both kinds of extension host. */
declare module 'mocha/mocha.js';
