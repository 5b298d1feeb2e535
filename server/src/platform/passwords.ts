import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { requireNoTransaction } from './database/scope.ts';
import { Refusal } from './refusal.ts';

const derive = promisify(argon2);

/** What one derivation takes: memory in KiB, and passes over it, in one lane. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
}

/** OWASP's second choice: 19 MiB, two passes, one lane. */
const standardCost: PasswordCost = { memory: 19_456, passes: 2 };
const tagLength = 32;
/** Beyond this no caller would wait for the result. */
const maxQueued = { known: 200, unknown: 40 };

/** Whose password it is: people on devices they have used before and signed-in ones do not wait for strangers. */
export type Precedence = 'known' | 'unknown';

interface Stored {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Makes and checks password hashes: Argon2id in the PHC text form. */
export class Passwords {
  readonly #cost: PasswordCost;
  /**
   * Each derivation holds 19 MiB and a core: the others wait. A flood of strangers leaves the other cores to those who are
   * known, and to everything else.
   */
  readonly #queues = {
    known: new PQueue({ concurrency: 3 }),
    unknown: new PQueue({ concurrency: Math.max(1, Math.floor(availableParallelism() / 2)) }),
  };
  /** Compared with where there is no hash, so that this takes the same time. */
  readonly #absent: Stored;

  /** `cost`: of the hashes that are made; those that are there are checked at their own. */
  constructor(cost: PasswordCost = standardCost) {
    this.#cost = cost;
    this.#absent = { cost, salt: randomBytes(16), tag: randomBytes(tagLength) };
  }

  /** @throws Refusal `too-many` while so many passwords wait already that none more is taken */
  requireRoom(precedence: Precedence): void {
    if (this.#queues[precedence].size >= maxQueued[precedence]) throw new Refusal('too-many', { retryAfter: 2 });
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const { memory, passes } = this.#cost;
    const tag = await this.#derive(password, salt, this.#cost, 'known');
    const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=1$${bare(salt)}$${bare(tag)}`;
  }

  /**
   * Takes the same time whether or not there is a hash to compare with.
   *
   * @throws Refusal `too-many` when too many wait already
   */
  async verify(password: string, stored: string | null | undefined, precedence: Precedence): Promise<boolean> {
    const expected = (stored && parse(stored)) || this.#absent;
    const made = await this.#derive(password, expected.salt, expected.cost, precedence);
    return timingSafeEqual(made, expected.tag) && expected !== this.#absent;
  }

  async #derive(password: string, nonce: Buffer, cost: PasswordCost, precedence: Precedence): Promise<Buffer> {
    requireNoTransaction('A password was hashed');
    this.requireRoom(precedence);
    const message = password.normalize('NFKC');
    return this.#queues[precedence].add(
      () => derive('argon2id', { message, nonce, ...cost, parallelism: 1, tagLength }) as Promise<Buffer>,
    );
  }
}

/** What {@link Passwords.hash} wrote; null for anything else. */
function parse(stored: string): Stored | null {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(stored);
  if (!found) return null;
  const [, memory, passes, salt = '', tag = ''] = found;
  const bytes = { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
  return bytes.tag.length === tagLength ? { cost: { memory: Number(memory), passes: Number(passes) }, ...bytes } : null;
}
