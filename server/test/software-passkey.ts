import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { PasskeyAssertion, PasskeyRegistration } from '@roomside/contract/auth/passkeys.ts';

/** CBOR (RFC 8949) of what an authenticator sends: small numbers, bytes, texts and maps. */
type Value = number | string | Buffer | Map<number | string, Value>;
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map((one) => cbor(one)))]);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

interface Wish {
  origin?: string;
  /** Whether the device has checked its user. */
  verified?: boolean;
  counter?: number;
}

/** A passkey in software, as a device makes and uses it (WebAuthn, ES256, no attestation). */
export function createSoftwarePasskey(rpId = 'localhost') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let uses = 0;

  const clientData = (type: string, challenge: string, { origin = 'http://localhost' }: Wish) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = (flags: number, { verified = true, counter = (uses += 1) }: Wish) => {
    const bytes = Buffer.alloc(5);
    bytes[0] = flags | 0x01 | (verified ? 0x04 : 0);
    bytes.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), bytes]);
  };
  const credential = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' as const };

  return {
    register(challenge: string, wish: Wish = {}): PasskeyRegistration {
      const jwk = (text: string) => Buffer.from(text, 'base64url');
      const key = cbor(
        new Map<number, Value>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, jwk(x)],
          [-3, jwk(y)],
        ]),
      );
      const length = Buffer.from([0, id.length]);
      const data = Buffer.concat([authData(0x40, wish), Buffer.alloc(16), length, id, key]);
      const attestation = new Map<string, Value>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ]);
      return {
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, wish).toString('base64url'),
          attestationObject: cbor(attestation).toString('base64url'),
        },
      };
    },
    assert(challenge: string, wish: Wish = {}): PasskeyAssertion {
      const client = clientData('webauthn.get', challenge, wish);
      const data = authData(0, wish);
      return {
        ...credential,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        },
      };
    },
  };
}
