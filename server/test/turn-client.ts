import { createHash, createHmac, randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';

/** STUN methods with their class of request (RFC 8489, RFC 8656). */
const methods = { allocate: 0x0003, createPermission: 0x0008 } as const;
const attributes = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  peerAddress: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  requestedTransport: 0x0019,
} as const;
const magic = 0x2112a442;

export interface TurnUser {
  readonly username: string;
  readonly credential: string;
}

/** A TURN client over UDP, as far as the tests of the relay's configuration need it. */
export class TurnClient {
  readonly #socket = dgram.createSocket('udp4');
  readonly #port: number;
  readonly #user: TurnUser;
  #realm: Buffer = Buffer.alloc(0);
  #nonce: Buffer = Buffer.alloc(0);

  constructor(port: number, user: TurnUser) {
    this.#port = port;
    this.#user = user;
  }

  /** Asks for a relayed address. Returns 0 for a success, else the error code of the relay. */
  async allocate(): Promise<number> {
    const transport: Attribute = [attributes.requestedTransport, Buffer.from([17, 0, 0, 0])];
    // The first request is refused with the realm and the nonce to use.
    const first = await this.#send(methods.allocate, [transport], false);
    this.#realm = first.get(attributes.realm) ?? this.#realm;
    this.#nonce = first.get(attributes.nonce) ?? this.#nonce;
    return codeOf(await this.#send(methods.allocate, [transport], true));
  }

  /** Asks to exchange packets with an IPv4 address. Returns 0 for a success, else the error code of the relay. */
  async permit(address: string): Promise<number> {
    const bytes = address.split('.').map(Number);
    const peer = Buffer.alloc(8);
    peer[1] = 1;
    peer.writeUInt16BE(9 ^ (magic >>> 16), 2);
    peer.writeUInt32BE((Buffer.from(bytes).readUInt32BE() ^ magic) >>> 0, 4);
    return codeOf(await this.#send(methods.createPermission, [[attributes.peerAddress, peer]], true));
  }

  close(): void {
    this.#socket.close();
  }

  async #send(method: number, own: readonly Attribute[], isSigned: boolean): Promise<Map<number, Buffer>> {
    const { username, credential } = this.#user;
    const signing: Attribute[] = [
      [attributes.username, Buffer.from(username)],
      [attributes.realm, this.#realm],
      [attributes.nonce, this.#nonce],
    ];
    const body = Buffer.concat([...own, ...(isSigned ? signing : [])].map(encode));
    const header = Buffer.alloc(20);
    header.writeUInt16BE(method, 0);
    header.writeUInt32BE(magic, 4);
    randomBytes(12).copy(header, 8);
    header.writeUInt16BE(body.length + (isSigned ? 24 : 0), 2);
    let message = Buffer.concat([header, body]);
    if (isSigned) {
      const key = createHash('md5').update(`${username}:${this.#realm}:${credential}`).digest();
      const mac = createHmac('sha1', key).update(message).digest();
      message = Buffer.concat([message, encode([attributes.messageIntegrity, mac])]);
    }
    const answered = once(this.#socket, 'message', { signal: AbortSignal.timeout(2_000) });
    this.#socket.send(message, this.#port, '127.0.0.1');
    const [response] = (await answered) as [Buffer];
    return decode(response.subarray(20));
  }
}

type Attribute = readonly [type: number, value: Buffer];

/** An attribute with its header, padded to four bytes. */
function encode([type, value]: Attribute): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(value.length, 2);
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

function decode(body: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= body.length; ) {
    const length = body.readUInt16BE(at + 2);
    found.set(body.readUInt16BE(at), body.subarray(at + 4, at + 4 + length));
    at += 4 + length + ((4 - (length % 4)) % 4);
  }
  return found;
}

function codeOf(response: ReadonlyMap<number, Buffer>): number {
  const error = response.get(attributes.errorCode);
  return error ? (error[2] ?? 0) * 100 + (error[3] ?? 0) : 0;
}
