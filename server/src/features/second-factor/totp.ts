import { createHmac, timingSafeEqual } from 'node:crypto';

/** RFC 6238 with the parameters that all authenticator apps know: SHA-1, 6 digits, steps of 30 s. */
const stepMs = 30_000;
const digits = 6;
/** RFC 4226 section 4 recommends 160 bits. */
export const secretBytes = 20;
/** Steps by which a phone's clock may be wrong. */
const drift = 1;

export const stepAt = (timeMs: number): number => Math.floor(timeMs / stepMs);

/** The code of a time step. */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns the time step, later than `after`, whose code was typed; null when there is none. Spaces in the code are ignored. */
export function findStep(secret: Uint8Array, typed: string, timeMs: number, after: number): number | null {
  const code = Buffer.from(typed.replace(/\s/g, ''));
  const now = stepAt(timeMs);
  let found: number | null = null;
  for (let step = now - drift; step <= now + drift; step += 1) {
    const expected = Buffer.from(codeOf(secret, step));
    if (step > after && code.length === expected.length && timingSafeEqual(code, expected)) found = step;
  }
  return found;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648), as authenticator apps take a typed secret. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((part) => letters[Number.parseInt(part.padEnd(5, '0'), 2)]).join('');
}

/** The address in the QR code: the format that authenticator apps read. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const issuer = 'Roomside';
  const query = new URLSearchParams({ secret: toBase32(secret), issuer });
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}?${query}`;
}
