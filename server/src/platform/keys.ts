import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Everything secret that the server derives from SECRET_KEY; one key for one purpose (HKDF, RFC 5869). */
export interface Keys {
  /** Signs access tokens. */
  readonly token: Uint8Array;
  /** A keyed hash for looking things up without storing them. */
  mac(
    purpose: 'code' | 'refresh' | 'one-time' | 'subject' | 'uid' | 'contact' | 'device',
    data: string | Uint8Array,
  ): Buffer;
  /** AES-256-GCM; the nonce and tag travel with it. `bound` must be the same when opened (RFC 5116). */
  seal(text: string, bound: string): Buffer;
  unseal(box: Uint8Array, bound: string): string;
}

export function deriveKeys(secret: string): Keys {
  const derive = (info: string) => new Uint8Array(hkdfSync('sha256', secret, 'roomside', info, 32));
  const token = derive('access-token');
  const box = derive('seal');
  const macKeys = new Map<string, Uint8Array>();
  const macKey = (purpose: string) => {
    let key = macKeys.get(purpose);
    if (!key) macKeys.set(purpose, (key = derive(`mac:${purpose}`)));
    return key;
  };
  return {
    token,
    mac: (purpose, data) => createHmac('sha256', macKey(purpose)).update(data).digest(),
    seal(text, bound) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', box, nonce).setAAD(Buffer.from(bound));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    unseal(sealed, bound) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', box, bytes.subarray(0, 12))
        .setAAD(Buffer.from(bound))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
