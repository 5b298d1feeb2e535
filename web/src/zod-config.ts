/**
 * The Content-Security-Policy forbids eval, which zod would try once. This must run before the first schema is created
 * and must not load zod, which the first page does not have; zod reads its settings from this place.
 */
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
