import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { requireNoTransaction } from '../../platform/database/scope.ts';
import { Refusal } from '../../platform/refusal.ts';

const derive = promisify(argon2);

/** OWASP's second choice: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
/**
 * Each derivation holds 19 MiB and a core: the others wait. A flood of strangers leaves the other cores to those who are
 * known, and to everything else.
 */
const queues = {
  known: new PQueue({ concurrency: 3 }),
  unknown: new PQueue({ concurrency: Math.max(1, Math.floor(availableParallelism() / 2)) }),
};
/** Beyond this no caller would wait for the result. */
const maxQueued = { known: 200, unknown: 40 };

/** Whose password it is: people on devices they have used before and signed-in ones do not wait for strangers. */
export type Precedence = 'known' | 'unknown';

async function hash(password: string, nonce: Buffer, precedence: Precedence): Promise<Buffer> {
  requireNoTransaction('A password was hashed');
  requireRoom(precedence);
  return queues[precedence].add(
    () => derive('argon2id', { message: password.normalize('NFKC'), nonce, ...cost }) as Promise<Buffer>,
  );
}

/** @throws Refusal `too-many` while so many passwords wait already that none more is taken */
export function requireRoom(precedence: Precedence): void {
  if (queues[precedence].size >= maxQueued[precedence]) throw new Refusal('too-many', { retryAfter: 2 });
}

/** Argon2id in the PHC text form. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await hash(password, salt, 'known');
  const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${bare(salt)}$${bare(tag)}`;
}

/** Compared with where there is no hash, so that this takes the same time. */
const absent = { salt: randomBytes(16), tag: randomBytes(32) };

/**
 * Takes the same time whether or not there is a hash to compare with.
 *
 * @throws Refusal `too-many` when too many wait already
 */
export async function verifyPassword(
  password: string,
  stored: string | null | undefined,
  precedence: Precedence,
): Promise<boolean> {
  const [, , , , salt, tag] = stored?.split('$') ?? [];
  const expected = salt && tag ? { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : absent;
  const made = await hash(password, expected.salt, precedence);
  return timingSafeEqual(made, expected.tag) && expected !== absent;
}
