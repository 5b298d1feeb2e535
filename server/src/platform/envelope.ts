import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** An AES-256 key with the number by which sealed values name it. */
export interface DataKey {
  readonly id: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** A sealed value cannot be opened: damaged, moved from another place, or its key is gone. */
export class UnreadableValue extends Error {
  override name = 'UnreadableValue';
}

/** Formats by the first byte: 0 is plain text and 1 has no key's number; both are older and only sealed again (reseal.ts). */
const sealedFormat = 2;

const nonceBytes = 12;
const tagBytes = 16;
/** Format and key number. */
const headerBytes = 9;
/** How much longer a sealed value is than what it holds. */
const sealedOverhead = headerBytes + nonceBytes + tagBytes;

/** What all values begin with that were sealed by this key: the format and the key's number; 9 bytes. */
export function sealedHeader(key: Pick<DataKey, 'id'>): Buffer {
  const header = Buffer.alloc(headerBytes);
  header[0] = sealedFormat;
  header.writeBigUInt64BE(BigInt(key.id), 1);
  return header;
}

/**
 * Seals bytes with AES-256-GCM: format (1 byte), key number (8), nonce (12), tag (16), body. The header and `place` (table,
 * column and row) are authenticated, so that a value opens nowhere else (RFC 5116).
 */
export function sealBytes(key: DataKey, plain: Uint8Array, place: string): Buffer {
  const header = sealedHeader(key);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.concat([header, Buffer.from(place)]));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/**
 * The number of the key that a value was sealed with.
 *
 * @throws UnreadableValue when this is no sealed value
 */
export function keyIdOf(sealed: Buffer): number {
  if (sealed.length < sealedOverhead || sealed[0] !== sealedFormat) throw new UnreadableValue('No sealed value.');
  return Number(sealed.readBigUInt64BE(1));
}

/** @throws UnreadableValue when the key, the place or any byte is another one than at sealing */
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
 * AES-256-GCM of a body that its tag precedes.
 *
 * @throws UnreadableValue when it was not sealed like this
 */
export function decrypt(key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, tagAndBody: Uint8Array): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(bound)
      .setAuthTag(tagAndBody.subarray(0, tagBytes));
    return Buffer.concat([decipher.update(tagAndBody.subarray(tagBytes)), decipher.final()]);
  } catch {
    throw new UnreadableValue('A sealed value does not open: it, its place or its key is not as it was.');
  }
}
