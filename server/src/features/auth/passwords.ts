import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../../platform/refusal.ts';
import { commonPasswords } from './common-passwords.ts';

const derive = promisify(argon2);

/** OWASP's second choice: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
/** Each derivation holds 19 MiB and a thread: at most so many at once, the others wait. */
const atOnce = 3;
const queueMost = 60;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Beyond this nobody would wait for the answer anyway.
  if (waiting.length >= queueMost) throw new Refusal('too-many', { retryAfter: 2 });
  if (running >= atOnce) await new Promise<void>((go) => waiting.push(go));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

const hash = (password: string, nonce: Buffer) =>
  inTurn(() => derive('argon2id', { message: password.normalize('NFKC'), nonce, ...cost }) as Promise<Buffer>);

/** Argon2id in the PHC text form. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await hash(password, salt);
  const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${bare(salt)}$${bare(tag)}`;
}

const nobody = { salt: randomBytes(16), tag: randomBytes(32) };

/** Takes the same time whether or not there is a hash to compare with. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, , , , salt, tag] = stored?.split('$') ?? [];
  const expected = salt && tag ? { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : nobody;
  const made = await hash(password, expected.salt);
  return timingSafeEqual(made, expected.tag) && expected !== nobody;
}

/** A blocklist instead of composition rules (NIST 800-63B-4): well-known ones, and the person's own words. */
export function isCommonPassword(password: string, own: readonly string[]): boolean {
  const plain = password.toLowerCase();
  if (commonPasswords.has(plain) || /^(.)\1+$/.test(plain) || /^(?:0123456789|1234567890|12345678\d*)$/.test(plain))
    return true;
  return own.some((word) => word.length >= 4 && plain.replace(/[\d\W_]+$/, '') === word.toLowerCase());
}
