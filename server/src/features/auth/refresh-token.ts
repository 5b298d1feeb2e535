import { timingSafeEqual } from 'node:crypto';
import type { Keys } from '../../platform/keys.ts';

/**
 * A refresh token holds the sign-in's id, its counter, and a keyed hash of both with the row's seed. The token is not
 * stored: the same successor can be returned twice, and a stolen database contains no tokens.
 */
const macBytes = 24;

interface Family {
  sign_in_id: number;
  seed: Buffer;
}

export function createRefreshToken(keys: Keys, family: Family, counter: number): string {
  const head = Buffer.alloc(12);
  head.writeBigUInt64BE(BigInt(family.sign_in_id));
  head.writeUInt32BE(counter, 8);
  return Buffer.concat([head, mac(keys, head, family.seed)]).toString('base64url');
}

function mac(keys: Keys, head: Buffer, seed: Buffer): Buffer {
  return keys.mac('refresh', Buffer.concat([head, seed])).subarray(0, macBytes);
}

/** Parses a token without verifying it (see {@link isGenuine}). Returns null when it has another form. */
export function readRefreshToken(token: string): { signInId: number; counter: number; bytes: Buffer } | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 12 + macBytes) return null;
  const id = bytes.readBigUInt64BE();
  if (id > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { signInId: Number(id), counter: bytes.readUInt32BE(8), bytes };
}

export function isGenuine(keys: Keys, read: { bytes: Buffer }, seed: Buffer): boolean {
  return timingSafeEqual(mac(keys, read.bytes.subarray(0, 12), seed), read.bytes.subarray(12));
}
