/**
 * The Content-Security-Policy forbids eval, and zod would try it once. This must run before the first schema is made
 * and must not load zod, which the first page does without; zod reads its settings from this place.
 */
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
