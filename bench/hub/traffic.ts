import { isDeepStrictEqual } from 'node:util';
import { type Dialect, dialects } from './clients.ts';
import type { ClientKind } from './kinds.ts';
import { masked, type RawSocket } from './raw-socket.ts';
import type { Data } from './servers/relay.ts';

/** Frames of at least this size are relayed messages, shorter ones control frames of the protocol. */
const minMessageBytes = 512;
const ackEveryMs = 1_000;
const connectBatchSize = 100;
const drainMs = 10_000;

interface Peer {
  readonly socket: RawSocket;
  readonly frame: Buffer;
  /** The data that the other client in the room sends. */
  readonly expected: Data;
  partner: Peer | undefined;
  /** When its messages in flight were sent. */
  readonly sentAt: number[];
  received: number;
  acked: number;
}

/** Connections in rooms of two, and the messages between them. */
export class Traffic {
  readonly #dialect: Dialect;
  readonly #peers: Peer[] = [];
  #sent = 0;
  #arrived = 0;
  #saturating = false;
  /** The latencies since `watch`, ms; large enough for one window. */
  readonly #latencies = new Float64Array(1_000_000);
  #watched = 0;
  #pacing: NodeJS.Timeout | undefined;
  #acking: NodeJS.Timeout | undefined;

  constructor(kind: ClientKind) {
    this.#dialect = dialects[kind];
  }

  /** Resolves to whether stateful reconnect was granted. */
  async connect(port: number, count: number): Promise<boolean> {
    let stateful = false;
    for (let from = 0; from < count; from += connectBatchSize) {
      const batch = Array.from({ length: Math.min(connectBatchSize, count - from) }, async (_, index) => {
        const number = from + index;
        const data = dataOf(Math.floor(number / 2));
        const { socket, resume } = await this.#dialect.open({ port, room: data.session, user: `user-${number}` });
        stateful ||= resume !== undefined;
        const frame = masked(Buffer.from(this.#dialect.encode(data)));
        const peer: Peer = { socket, frame, expected: data, partner: undefined, sentAt: [], received: 0, acked: 0 };
        this.#peers[number] = peer;
        socket.onFrame = (received, start, end) => this.#receive(peer, received, start, end);
      });
      await Promise.all(batch);
    }
    for (const [number, peer] of this.#peers.entries()) peer.partner = this.#peers[number ^ 1];
    if (stateful) this.#acknowledge();
    return stateful;
  }

  /** Keeps one message of each connection in flight. */
  saturate(): void {
    this.#saturating = true;
    for (const peer of this.#peers) this.#send(peer);
  }

  /** Sends `perSecond` messages per second without waiting for earlier ones. */
  pace(perSecond: number): void {
    const began = performance.now();
    let sent = 0;
    this.#pacing = setInterval(() => {
      const due = ((performance.now() - began) / 1_000) * perSecond;
      for (; sent < due; sent += 1) this.#send(this.#peers[sent % this.#peers.length]);
    }, 1);
  }

  /** Clears the latencies. */
  watch(): void {
    this.#watched = 0;
  }

  /** Returns the latencies from one client to the other since `watch`, ms. */
  latencies(): { p50: number; p99: number } {
    const sorted = this.#latencies.slice(0, this.#watched).sort();
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99) };
  }

  /** Stops sending and waits for messages in flight. Throws when messages are lost. */
  async quiet(): Promise<void> {
    this.#saturating = false;
    clearInterval(this.#pacing);
    for (let waited = 0; this.#arrived < this.#sent; waited += 10) {
      if (waited >= drainMs) throw new Error(`${this.#sent - this.#arrived} of ${this.#sent} messages are lost.`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  disconnect(): void {
    clearInterval(this.#acking);
    for (const { socket } of this.#peers) socket.terminate();
  }

  #send(peer: Peer | undefined): void {
    if (!peer) return;
    this.#sent += 1;
    peer.sentAt.push(performance.now());
    peer.socket.send(peer.frame);
  }

  #receive(peer: Peer, data: Buffer, start: number, end: number): void {
    if (end - start < minMessageBytes) return this.#dialect.control?.(peer.socket, data.toString('utf8', start, end));
    const { partner } = peer;
    const sentAt = partner?.sentAt.shift();
    if (sentAt === undefined) throw new Error(`Unexpected message: ${data.toString('utf8', start, end)}`);
    this.#latencies[this.#watched++] = performance.now() - sentAt;
    this.#arrived += 1;
    peer.received += 1;
    if (peer.received === 1) this.#compare(data.toString('utf8', start, end), peer.expected);
    if (this.#saturating) this.#send(partner);
  }

  #compare(frame: string, expected: Data): void {
    if (!isDeepStrictEqual(this.#dialect.decode(frame), expected)) throw new Error(`Not what was sent: ${frame}`);
  }

  /** Clients with stateful reconnect acknowledge once a second, spread over the second. */
  #acknowledge(): void {
    const slices = 20;
    let slice = 0;
    this.#acking = setInterval(() => {
      slice = (slice + 1) % slices;
      for (let number = slice; number < this.#peers.length; number += slices) {
        const peer = this.#peers[number];
        if (!peer || peer.acked === peer.received) continue;
        peer.acked = peer.received;
        peer.socket.sendText(`{"type":8,"sequenceId":${peer.received}}\u001e`);
      }
    }, ackEveryMs / slices);
  }
}

/** 1,024 bytes of JSON, like a session description. */
function dataOf(room: number): Data {
  const session = `00000000-0000-4000-8000-${`${room}`.padStart(12, '0')}`;
  const empty = JSON.stringify({ session, type: 'offer', data: '' }).length;
  const line = 'a=candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx generation 0 network-cost 999 ';
  return { session, type: 'offer', data: line.repeat(12).slice(0, 1_024 - empty) };
}
