import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { currentShare, requireNoTransaction } from './database/scope.ts';
import { Turns } from './database/turns.ts';
import { Refusal } from './refusal.ts';

const derive = promisify(argon2);

/** The cost of one hash: memory in KiB, and passes over it, in one lane. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
}

/** OWASP's second recommendation: 19 MiB, two passes, one lane. */
const standardCost: PasswordCost = { memory: 19_456, passes: 2 };
const tagLength = 32;
/** Beyond this a caller would time out before the result. */
const maxUnknown = 40;
/**
 * Hashes of `known` at the same time: one of a person, two of a company. One who asks for many waits behind their own only, and is refused
 * when eight wait.
 */
const knownLimits = {
  total: 3,
  perGroup: 2,
  groups: { 'known devices': 3 },
  perMember: 1,
  maxWaiting: 8,
  timeoutMs: 15_000,
};

/**
 * Known devices, signed-in users and people with a mailed link take turns, each with a share ({@link currentShare}), so that they wait neither
 * behind unknown clients nor behind one of them who asks for many.
 */
export type Precedence = 'known' | 'unknown';

interface ParsedHash {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Creates and verifies password hashes: Argon2id in the PHC string format. */
export class Passwords {
  readonly #cost: PasswordCost;
  /** Each hash takes 19 MiB and a core. */
  readonly #known = new Turns(knownLimits);
  /** Unknown clients use at most half of the cores. */
  readonly #unknown = new PQueue({ concurrency: Math.max(1, Math.floor(availableParallelism() / 2)) });
  /** Compared with when there is no hash, so that verifying takes the same time. */
  readonly #absent: ParsedHash;

  /** @param cost of new hashes; existing ones are verified at their own cost */
  constructor(cost: PasswordCost = standardCost) {
    this.#cost = cost;
    this.#absent = { cost, salt: randomBytes(16), tag: randomBytes(tagLength) };
  }

  /** @throws Refusal `too-many` while the queue of unknown clients is full */
  requireRoom(): void {
    if (this.#unknown.size >= maxUnknown) throw new Refusal('too-many', { retryAfter: 2 });
  }

  /**
   * Returns a new hash, in the PHC string format.
   *
   * @throws Refusal `too-many` while the queue of unknown clients is full; `unavailable` when a known caller asks for too many
   */
  async hash(password: string, precedence: Precedence): Promise<string> {
    const salt = randomBytes(16);
    const { memory, passes } = this.#cost;
    const tag = await this.#derive(password, salt, this.#cost, precedence);
    const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=1$${bare(salt)}$${bare(tag)}`;
  }

  /**
   * Returns whether the password matches. Takes the same time without a stored hash.
   *
   * @throws Refusal as {@link hash}
   */
  async verify(password: string, stored: string | null | undefined, precedence: Precedence): Promise<boolean> {
    const expected = (stored && parse(stored)) || this.#absent;
    const derived = await this.#derive(password, expected.salt, expected.cost, precedence);
    return timingSafeEqual(derived, expected.tag) && expected !== this.#absent;
  }

  async #derive(password: string, nonce: Buffer, cost: PasswordCost, precedence: Precedence): Promise<Buffer> {
    requireNoTransaction('A password was hashed');
    const message = password.normalize('NFKC');
    const work = () => derive('argon2id', { message, nonce, ...cost, parallelism: 1, tagLength }) as Promise<Buffer>;
    if (precedence === 'known') return this.#known.run(currentShare(), work);
    this.requireRoom();
    return this.#unknown.add(work);
  }
}

/** Parses a hash of {@link Passwords.hash}; null for any other text. */
function parse(stored: string): ParsedHash | null {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(stored);
  if (!found) return null;
  const [, memory, passes, salt = '', tag = ''] = found;
  const bytes = { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
  return bytes.tag.length === tagLength ? { cost: { memory: Number(memory), passes: Number(passes) }, ...bytes } : null;
}
