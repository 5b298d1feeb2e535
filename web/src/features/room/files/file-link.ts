import { maxFileBytes } from '@roomside/contract/limits.ts';
import type { Clock } from '../core/clock.ts';
import { channelIds, type PeerChannel } from '../core/peer-channel.ts';
import { IncomingFile } from './incoming-file.ts';
import { OutgoingFile } from './outgoing-file.ts';
import { readTransferMessage, type TransferMessage } from './transfer-messages.ts';

/**
 * offered: waits for the receiver's answer; paused: the connection is lost; done: the receiver has the whole file, with the right
 * checksum; broken: it did not arrive as it was sent, or the connection did not come back.
 */
export type TransferState = 'waiting' | 'offered' | 'running' | 'paused' | 'done' | 'declined' | 'cancelled' | 'broken';

export interface Transfer {
  id: string;
  peerId: string;
  direction: 'out' | 'in';
  name: string;
  /** Bytes. */
  size: number;
  /** Bytes that the receiver has. */
  received: number;
  state: TransferState;
  /** A received file that is complete. */
  content?: Blob;
}

interface Parts {
  peerId: string;
  /** ROLE-2: files are accepted from staff only. */
  mayReceive: boolean;
  clock: Clock;
  onChange: (transfer: Transfer) => void;
}

/** Back pressure, bytes: sending stops above the first and goes on below the second. */
const highWater = 4 * 1024 * 1024;
const lowWater = 1024 * 1024;
/** How often the receiver reports its progress, bytes. */
const reportBytes = 1024 * 1024;
/** How long a transfer waits for a lost connection, ms. */
const pauseTimeoutMs = 60_000;

/** The files to and from one other peer, one at a time in each direction. They survive new connections to the peer. */
export class FileLink implements PeerChannel {
  readonly #parts: Parts;
  #channel: RTCDataChannel | undefined;
  /** The first is sent, the others wait. */
  #outgoing: OutgoingFile[] = [];
  readonly #incoming = new Map<string, IncomingFile>();
  /** What the chunks belong to. */
  #receiving: IncomingFile | undefined;
  readonly #transfers = new Map<string, Transfer>();
  /** Counts what is sent; an older loop ends. */
  #turn = 0;
  /** Continues a loop that waits for the channel's buffer. */
  #wake: (() => void) | undefined;
  #cancelTimeout: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  openOn(connection: RTCPeerConnection): void {
    const channel = connection.createDataChannel('files', { negotiated: true, id: channelIds.files });
    channel.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = lowWater;
    this.#channel = channel;
    channel.onopen = () => this.#opened();
    channel.onclose = () => channel === this.#channel && this.#lost();
    channel.onbufferedamountlow = () => this.#wake?.();
    channel.onmessage = ({ data }: { data: unknown }) => {
      if (channel !== this.#channel) return;
      if (data instanceof ArrayBuffer) return this.#take(data);
      const message = readTransferMessage(String(data));
      if (message) this.#handleMessage(message);
    };
  }

  drop(): void {
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.close();
    this.#lost();
  }

  get #isOpen(): boolean {
    return this.#channel?.readyState === 'open';
  }

  /** Sends a file after those before it. */
  send(id: string, file: File): void {
    this.#outgoing.push(new OutgoingFile(id, file));
    this.#show({ ...this.#base(id, 'out'), name: file.name, size: file.size, received: 0, state: 'waiting' });
    if (!this.#isOpen) this.#lost();
    else if (this.#outgoing.length === 1) this.#offer();
  }

  /** Cancels a file that is sent, or declines one that is offered or arrives. */
  stop(id: string): void {
    const transfer = this.#transfers.get(id);
    if (!transfer || !isOpen(transfer)) return;
    if (transfer.direction === 'in') {
      this.#forget(id);
      this.#post({ decline: id });
      this.#mark(id, { state: 'declined' });
    } else {
      this.#post({ cancel: id });
      this.#finished(id, 'cancelled');
    }
  }

  accept(id: string): void {
    const incoming = this.#incoming.get(id);
    if (!incoming || this.#transfers.get(id)?.state !== 'offered') return;
    this.#begin(incoming);
  }

  #begin(incoming: IncomingFile): void {
    this.#receiving = incoming;
    const isAsked = this.#post({ accept: incoming.id, from: incoming.received });
    this.#mark(incoming.id, { state: isAsked ? 'running' : 'paused' });
    if (!isAsked) this.#awaitPaused();
  }

  #opened(): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    for (const { id } of this.#outgoing) this.#mark(id, { state: 'waiting' });
    this.#offer();
    // The other side offers what it was sending again.
    this.#awaitPaused();
  }

  /** The connection is lost: what runs is paused, and given up when no other comes. */
  #lost(): void {
    this.#turn += 1;
    this.#wake?.();
    this.#receiving = undefined;
    for (const { id, state, direction } of this.#transfers.values()) {
      if (state === 'running' || (direction === 'out' && (state === 'offered' || state === 'waiting'))) {
        this.#mark(id, { state: 'paused' });
      }
    }
    this.#awaitPaused();
  }

  #awaitPaused(): void {
    if (this.#cancelTimeout || ![...this.#transfers.values()].some(({ state }) => state === 'paused')) return;
    this.#cancelTimeout = this.#parts.clock.after(pauseTimeoutMs, () => {
      this.#cancelTimeout = undefined;
      for (const { id, state } of [...this.#transfers.values()]) {
        if (state !== 'paused') continue;
        this.#forget(id);
        this.#outgoing = this.#outgoing.filter((one) => one.id !== id);
        this.#mark(id, { state: 'broken' });
      }
    });
  }

  #offer(): void {
    const [next] = this.#outgoing;
    if (!next) return;
    const { name, size } = next.file;
    next.prepare();
    if (this.#post({ offer: next.id, name, size })) this.#mark(next.id, { state: 'offered' });
  }

  #handleMessage(message: TransferMessage): void {
    if ('offer' in message) return this.#offered(message);
    if ('accept' in message) return void this.#stream(message.accept, message.from);
    if ('decline' in message) return this.#finished(message.decline, 'declined');
    if ('got' in message) return this.#progressed(message.got, message.bytes);
    if ('end' in message) return void this.#ended(message.end, message.checksum);
    if ('done' in message) return this.#finished(message.done, 'done');
    if ('broken' in message) return this.#finished(message.broken, 'broken');
    this.#forget(message.cancel);
    const transfer = this.#transfers.get(message.cancel);
    if (transfer?.direction === 'in' && isOpen(transfer)) this.#mark(message.cancel, { state: 'cancelled' });
  }

  // Sending

  async #stream(id: string, from: number): Promise<void> {
    const [outgoing] = this.#outgoing;
    const channel = this.#channel;
    if (outgoing?.id !== id || !channel || from > outgoing.file.size) return;
    const mine = ++this.#turn;
    const isMine = () => mine === this.#turn && channel.readyState === 'open';
    this.#mark(id, { state: 'running', received: from });
    try {
      for await (const chunk of outgoing.chunksFrom(from)) {
        if (isMine() && channel.bufferedAmount > highWater) await this.#drained();
        if (!isMine()) return;
        channel.send(chunk);
      }
      const checksum = await outgoing.checksum();
      if (isMine()) this.#post({ end: id, checksum });
    } catch {
      // The file was changed or moved while it was read.
      if (!isMine()) return;
      this.#post({ cancel: id });
      this.#finished(id, 'broken');
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #progressed(id: string, received: number): void {
    const transfer = this.#transfers.get(id);
    if (transfer?.direction === 'out' && transfer.state === 'running' && received <= transfer.size) {
      this.#mark(id, { received });
    }
  }

  /** A file that was sent is finished: the next one is offered. */
  #finished(id: string, state: TransferState): void {
    const transfer = this.#transfers.get(id);
    if (transfer?.direction !== 'out' || !isOpen(transfer)) return;
    const wasFirst = this.#outgoing[0]?.id === id;
    this.#outgoing = this.#outgoing.filter((one) => one.id !== id);
    this.#mark(id, { state, ...(state === 'done' && { received: transfer.size }) });
    if (!wasFirst) return;
    this.#turn += 1;
    this.#wake?.();
    if (this.#isOpen) this.#offer();
  }

  // Receiving

  #offered({ offer: id, name, size }: Extract<TransferMessage, { offer: string }>): void {
    const known = this.#transfers.get(id);
    // The answer was lost with the connection.
    if (known?.state === 'done') return void this.#post({ done: id });
    if (known && !isOpen(known)) return void this.#post({ decline: id });
    const partial = this.#incoming.get(id);
    if (partial && known?.state === 'paused') return this.#begin(partial);
    if (partial) return;
    if (!this.#parts.mayReceive || size > maxFileBytes) return void this.#post({ decline: id });
    const incoming = new IncomingFile({ id, name, size });
    this.#incoming.set(id, incoming);
    this.#show({ ...this.#base(id, 'in'), name: incoming.name, size, received: 0, state: 'offered' });
  }

  #take(chunk: ArrayBuffer): void {
    const incoming = this.#receiving;
    if (!incoming) return;
    const before = incoming.received;
    if (!incoming.add(chunk)) return this.#fail(incoming.id);
    const { id, received, size } = incoming;
    const isStep = Math.floor(before / reportBytes) < Math.floor(received / reportBytes);
    if (!isStep && received < size) return;
    this.#post({ got: id, bytes: received });
    this.#mark(id, { received });
  }

  async #ended(id: string, checksum: string): Promise<void> {
    const incoming = this.#receiving;
    if (incoming?.id !== id) return;
    const content = await incoming.finish(checksum);
    const { state } = this.#transfers.get(id) ?? {};
    // Declined meanwhile, or given up.
    if (state !== 'running' && state !== 'paused') return;
    if (!content) return this.#fail(id);
    this.#forget(id);
    this.#post({ done: id });
    this.#mark(id, { state: 'done', received: incoming.size, content });
  }

  #fail(id: string): void {
    this.#forget(id);
    this.#post({ broken: id });
    this.#mark(id, { state: 'broken' });
  }

  #forget(id: string): void {
    if (this.#receiving?.id === id) this.#receiving = undefined;
    this.#incoming.delete(id);
  }

  // Both

  #post(message: TransferMessage): boolean {
    if (!this.#isOpen) return false;
    this.#channel?.send(JSON.stringify(message));
    return true;
  }

  #base(id: string, direction: Transfer['direction']) {
    return { id, direction, peerId: this.#parts.peerId };
  }

  #mark(id: string, part: Partial<Transfer>): void {
    const transfer = this.#transfers.get(id);
    if (transfer) this.#show({ ...transfer, ...part });
  }

  #show(transfer: Transfer): void {
    this.#transfers.set(transfer.id, transfer);
    this.#parts.onChange(transfer);
  }
}

/** True until a transfer is finished in one way or another. */
export function isOpen({ state }: Pick<Transfer, 'state'>): boolean {
  return state === 'waiting' || state === 'offered' || state === 'running' || state === 'paused';
}
