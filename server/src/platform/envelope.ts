import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** An AES-256 key with its id, which sealed values contain. */
export interface DataKey {
  readonly id: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** A sealed value cannot be opened: it was changed or moved from its place, or its key was deleted. */
export class UnreadableValue extends Error {
  override name = 'UnreadableValue';
}

/** The first byte is the format. */
const sealedFormat = 1;

const nonceBytes = 12;
const tagBytes = 16;
/** Format and key id. */
const headerBytes = 9;
/** Bytes that sealing adds to a value. */
const sealedOverhead = headerBytes + nonceBytes + tagBytes;

/** Returns the first 9 bytes of all values that were sealed by this key: the format and the key id. */
export function sealedHeader(key: Pick<DataKey, 'id'>): Buffer {
  const header = Buffer.alloc(headerBytes);
  header[0] = sealedFormat;
  header.writeBigUInt64BE(BigInt(key.id), 1);
  return header;
}

/**
 * Seals bytes by AES-256-GCM: format (1 byte), key id (8), nonce (12), tag (16), body. The header and `place` (table, column
 * and row) are authenticated, so that a value opens in its place only (RFC 5116).
 */
export function sealBytes(key: DataKey, plain: Uint8Array, place: string): Buffer {
  const header = sealedHeader(key);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.concat([header, Buffer.from(place)]));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/**
 * Returns the id of the key that sealed a value.
 *
 * @throws UnreadableValue when this is not a sealed value
 */
export function keyIdOf(sealed: Buffer): number {
  if (sealed.length < sealedOverhead || sealed[0] !== sealedFormat) throw new UnreadableValue('No sealed value.');
  return Number(sealed.readBigUInt64BE(1));
}

/** Opens a sealed value. @throws UnreadableValue when the key, the place or any byte differs from those at sealing */
export function openBytes(key: DataKey, sealed: Buffer, place: string): Buffer {
  if (keyIdOf(sealed) !== key.id) throw new UnreadableValue('Sealed by another key.');
  const header = sealed.subarray(0, headerBytes);
  const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes);
  return decrypt(
    key.bytes,
    nonce,
    Buffer.concat([header, Buffer.from(place)]),
    sealed.subarray(headerBytes + nonceBytes),
  );
}

/**
 * Decrypts AES-256-GCM; the tag is in front of the body.
 *
 * @throws UnreadableValue when the key, `authenticated` or any byte differs
 */
export function decrypt(key: Uint8Array, nonce: Uint8Array, authenticated: Uint8Array, tagAndBody: Uint8Array): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(authenticated)
      .setAuthTag(tagAndBody.subarray(0, tagBytes));
    return Buffer.concat([decipher.update(tagAndBody.subarray(tagBytes)), decipher.final()]);
  } catch {
    throw new UnreadableValue('A sealed value cannot be opened: it, its place or its key has changed.');
  }
}
