import { randomBytes } from 'node:crypto';
import net from 'node:net';

/** All sockets read into one buffer: a frame is valid only while its callback runs. */
const arrived = Buffer.allocUnsafeSlow(65_536);
const headersEnd = '\r\n\r\n';
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** Called with the position of a message's payload in the buffer. */
export type OnFrame = (data: Buffer, start: number, end: number) => void;

/**
 * A WebSocket client (RFC 6455) for the servers of this benchmark: complete frames, no compression. It allocates little, so that garbage
 * collection in the clients does not delay the measured messages (clients with `ws` pause their process for 50 ms of every second at 4,000
 * messages a second).
 */
export class RawSocket {
  readonly #socket: net.Socket;
  /** The start of an incomplete frame. */
  #rest: Buffer | undefined;
  #upgraded = false;
  readonly #opening = Promise.withResolvers<void>();
  /** Resolves when the server has upgraded; frames may follow immediately. Rejects when it refuses. */
  readonly opened = this.#opening.promise;
  readonly #closing = Promise.withResolvers<void>();
  readonly closed = this.#closing.promise;
  onFrame: OnFrame = () => {};

  constructor(address: string) {
    const url = new URL(address);
    const callback = (bytes: number, buffer: Uint8Array) => {
      this.#read((buffer as Buffer).subarray(0, bytes));
      return true;
    };
    this.#socket = net.connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: arrived, callback },
    });
    this.#socket.write(
      [
        `GET ${url.pathname}${url.search} HTTP/1.1`,
        `Host: ${url.host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}${headersEnd}`,
      ].join('\r\n'),
    );
    // Closes when the server ends the connection; errors are followed by `close`.
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#opening.reject(new Error(`${address} was closed.`));
      this.#closing.resolve();
    });
  }

  /** Sends a frame made by `masked`. */
  send(frame: Buffer): void {
    this.#socket.write(frame);
  }

  sendText(text: string): void {
    this.send(masked(Buffer.from(text)));
  }

  terminate(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = undefined;
    if (!this.#upgraded) {
      const end = data.indexOf(headersEnd);
      if (end >= 0 && !data.subarray(0, end).toString('latin1').startsWith('HTTP/1.1 101')) return this.terminate();
      if (end >= 0) {
        this.#upgraded = true;
        data = data.subarray(end + headersEnd.length);
        this.#opening.resolve();
      }
    }
    const offset = this.#upgraded ? this.#frames(data) : 0;
    if (offset < data.length) this.#rest = Buffer.from(data.subarray(offset));
  }

  /** Reads complete frames. Returns the offset of the first incomplete one. */
  #frames(data: Buffer): number {
    let offset = 0;
    while (data.length - offset >= 2) {
      const short = data[offset + 1] as number;
      let start = offset + 2;
      if (short > 126 || (data[offset] as number) < 0x80) throw new Error('Unexpected frame.');
      if (short === 126) start += 2;
      if (start > data.length) break;
      const end = start + (short === 126 ? data.readUInt16BE(offset + 2) : short);
      if (end > data.length) break;
      this.#frame((data[offset] as number) & 0x0f, data, start, end);
      offset = end;
    }
    return offset;
  }

  #frame(opcode: number, data: Buffer, start: number, end: number): void {
    if (opcode === opcodes.ping) this.send(masked(data.subarray(start, end), opcodes.pong));
    else if (opcode === opcodes.close) this.#socket.destroySoon();
    else if (opcode !== opcodes.pong) this.onFrame(data, start, end);
  }
}

/** Returns a masked frame, which may be sent several times. */
export function masked(payload: Buffer, opcode: number = opcodes.text): Buffer {
  const { length } = payload;
  if (length > 0xffff) throw new Error('Too long.');
  const header = Buffer.alloc(length < 126 ? 6 : 8);
  header[0] = 0x80 | opcode;
  header[1] = 0x80 | Math.min(length, 126);
  if (length >= 126) header.writeUInt16BE(length, 2);
  const key = randomBytes(4);
  header.set(key, header.length - 4);
  const body = Buffer.from(payload.map((byte, index) => byte ^ (key[index & 3] as number)));
  return Buffer.concat([header, body]);
}
