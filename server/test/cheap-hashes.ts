import type { PasswordCost } from '../src/platform/passwords.ts';

/** A fiftieth of the product's cost of password hashes, since most tests sign in. */
export const cheapHashes: PasswordCost = { memory: 256, passes: 1 };
