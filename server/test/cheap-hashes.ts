import type { PasswordCost } from '../src/platform/passwords.ts';

/** Password hashes of tests, a fiftieth of what the product's cost: many tests sign in, few are about that. */
export const cheapHashes: PasswordCost = { memory: 256, passes: 1 };
