import { randomBytes } from 'node:crypto';
import type { AnyContext, AnyDefinition, Limits, StatefulReconnect, Timings } from '../hub.ts';
import type { Samples } from '../metrics.ts';
import type { Encoded } from '../protocol/encoded.ts';
import type { Ack, Close, Invocation, Message, Protocol } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { turns } from '../turns.ts';
import type { Clock, CloseOptions, DisconnectReason, Identity, Logger } from '../types.ts';
import { type ClientChannel, pauseReason } from './client-channel.ts';
import type { Counters } from './counters.ts';
import type { Method } from './method.ts';
import type { Partial } from './partial.ts';
import type { Results } from './results.ts';
import { Resume } from './resume.ts';
import type { Streams } from './streams.ts';
import type { PollingTransport, Transport } from './transport.ts';

/** What a connection needs from its hub. */
export interface ConnectionHost {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  /** The largest limit of any method. */
  readonly maxBytes: number;
  readonly timings: Timings;
  readonly statefulReconnect: StatefulReconnect | undefined;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters: Counters;
  method(target: string): Method | undefined;
  contextOf(connection: Connection): AnyContext;
  /** A context of its own for one stream, with the stream's signal. */
  streamContextOf(connection: Connection, signal: () => AbortSignal): AnyContext;
  /** The handshake is done: messages may reach the connection. Throws what the hub's `identity` throws. */
  activated(connection: Connection): void;
  /** The connection is over: nothing reaches it any more, and the hub's `onDisconnected` runs if it is due. */
  ended(connection: Connection): void;
  runDisconnected(connection: Connection): void;
  /** The client is back on a new transport. */
  resumed(connection: Connection): void;
  /** The connection is over, but its client has yet to fetch the end of it. */
  leaving(connection: Connection, transport: PollingTransport): void;
  /** Round trips to clients, ms. */
  readonly roundTrips: Samples;
}

/** How long a connection may take to finish what it received before the client said goodbye. */
const lingerMs = 5_000;
/** How long a client whose page went away may take to come back: one that was frozen does so at once (SPEC.md, W5), ms. */
const leftMs = 2_000;
/** How long a client that came back may take to say where it stands (SPEC.md, S7). */
const sequenceMs = 5_000;
const pingMessage = { type: 6 } as const;
const ack = (sequenceId: number): Ack => ({ type: 8, sequenceId });

/**
 * One client, from negotiation to its end. States: `negotiated` (no transport yet), `handshake`, `active` (for a while also without a
 * transport, when it may be resumed), `disposed`. One object per connection and no closure or timer keeps an idle one small.
 */
export class Connection implements ClientChannel {
  readonly id: string;
  /** The secret that later requests carry; never the public id (SPEC.md, N rules). */
  readonly token: string;
  readonly host: ConnectionHost;
  /** Whose quota of negotiations this one uses. */
  readonly quotaKey: string;
  /** Where the client is, as the server sees it. */
  address: string;
  /** The headers of the connecting request, a line each; as one text they cost little. */
  headers = '';
  /** Whether stateful reconnect was negotiated; the handshake's version then switches it on. */
  readonly mayResume: boolean;
  who: Identity<unknown>;
  search = '';
  identity: string | undefined = undefined;
  state: 'negotiated' | 'handshake' | 'active' | 'disposed' = 'negotiated';
  /** Whether `onConnected` has run: only then `onDisconnected` follows. */
  opened: 'no' | 'running' | 'yes' | 'failed' = 'no';
  transport: Transport | undefined = undefined;
  protocol: Protocol | undefined = undefined;
  resume: Resume | undefined = undefined;
  context: AnyContext | undefined = undefined;
  abortion: AbortController | undefined = undefined;
  groups: Set<string> | undefined = undefined;
  streams: Streams | undefined = undefined;
  results: Results | undefined = undefined;
  /** Received bytes of an incomplete message, or of those that wait for their turn. */
  partial: Partial | undefined = undefined;
  /** What is left of the calls that it may make, and when that was, ms since the epoch. */
  calls: { left: number; at: number } | undefined = undefined;
  /** Since when the same message is incomplete, as the second's look at all connections saw it; 0 = none is. */
  incompleteSince = 0;
  /** Messages that were handled since the last bytes came. */
  burst = 0;
  /** Whether what was received waits for its turn, because others wait too; and whether the queue does. */
  isDeferred = false;
  isQueueDeferred = false;
  #goodbye: Transport | undefined = undefined;
  #onRoom: (() => void) | undefined = undefined;
  /** Methods that run, and invocations that wait for them. */
  running = 0;
  queue: Invocation[] | undefined = undefined;
  #holds = 0;
  #waiting: (() => void)[] | undefined = undefined;
  reason: DisconnectReason = 'lost';
  /** Set when the connection is to end as soon as nothing runs; nothing new is accepted then. */
  closing: (CloseOptions & { readonly reason: DisconnectReason }) | undefined = undefined;
  readonly createdAt: number;
  activatedAt = 0;
  /** When the current state gives up waiting: negotiation, handshake, a lost client's return, closing. */
  deadline: number;
  lastSent = 0;
  lastReceived = 0;
  /** When the line broke, ms since the epoch; 0 = it has not. */
  lostAt = 0;
  /** Since when the client takes nothing; 0 = it does. */
  stuckSince = 0;
  /** Armed by the client's first ping: a client that never pings is never timed out. */
  timeoutArmed = false;

  constructor(host: ConnectionHost, who: Identity<unknown>, naming: Naming) {
    const bytes = randomBytes(32);
    this.id = `${naming.instance}.${bytes.toString('base64url', 0, 16)}`;
    this.token = naming.publicTokenOnly ? this.id : `${naming.instance}.${bytes.toString('base64url', 16)}`;
    this.host = host;
    this.who = who;
    this.quotaKey = naming.quotaKey;
    this.address = naming.address;
    this.mayResume = naming.mayResume ?? false;
    this.createdAt = host.clock.now();
    this.deadline = this.createdAt + host.timings.negotiationMs;
  }

  attach(transport: Transport): void {
    const now = this.host.clock.now();
    this.transport = transport;
    this.state = 'handshake';
    this.deadline = now + this.host.timings.handshakeMs;
    this.lastReceived = now;
    this.lastSent = now;
  }

  /** Whether a new transport may take over: of a client that lost its line, also before this side has noticed. */
  get resumable(): boolean {
    return this.state === 'active' && this.resume?.isWhole === true && !this.closing;
  }

  /** The client is back: replaces what may be left of the old transport and repeats what it may have missed. */
  reattach(transport: Transport): void {
    const { resume, protocol, host } = this;
    if (!resume || !protocol) return;
    const old = this.transport;
    const now = host.clock.now();
    this.transport = transport;
    this.partial = undefined;
    this.lastReceived = now;
    this.stuckSince = 0;
    this.lostAt = 0;
    this.timeoutArmed = false;
    old?.destroy();
    this.deadline = now + sequenceMs;
    const { first, kept } = resume.reattached();
    this.write({ type: 9, sequenceId: first });
    for (const encoded of kept) transport.send(encoded);
    this.lastSent = now;
    host.counters.resumed++;
    host.counters.replayed += kept.length;
    this.#wake();
    host.resumed(this);
  }

  /** The client, back on a new transport, has said where it stands: until then it was read in any case. */
  resynchronised(): void {
    if (this.isHeld) this.transport?.pause();
  }

  /** When the client was last known to be there. */
  get lastSeen(): number {
    if (this.lostAt > 0) return this.lostAt;
    return this.reason === 'timeout' ? this.lastReceived : this.host.clock.now();
  }

  /** Starts keeping what is sent, until the client acknowledges it. */
  keepSent(): void {
    const { statefulReconnect } = this.host;
    if (this.mayResume && statefulReconnect) this.resume = new Resume(statefulReconnect.bufferBytes);
  }

  /** What listeners of an abort signal throw. */
  get abortFailed(): (error: unknown) => void {
    const { id, host } = this;
    return (err) => host.logger.error({ connectionId: id, err }, 'a listener of an abort signal failed');
  }

  get idle(): boolean {
    return this.running === 0 && !this.queue?.length && !this.isDeferred;
  }

  /** Encodes and sends to this client alone. Does nothing when it is gone. Throws what the encoding throws. */
  sendMessage(message: Message): void {
    if (this.state === 'active' && this.protocol) this.send({ data: this.protocol.write(message) });
  }

  /** As `sendMessage`, for an answer that the client waits for: when it cannot be encoded, the connection ends. Never throws. */
  respond(message: Message): void {
    try {
      this.sendMessage(message);
    } catch (err) {
      this.host.logger.error({ connectionId: this.id, err }, 'an answer could not be encoded');
      this.end({ error: texts.closedWithError, allowReconnect: true, reason: 'error' });
    }
  }

  /** Sends calls, items and completions. They count: what may be resumed keeps them until they are acknowledged. */
  send(encoded: Encoded): void {
    if (this.state !== 'active') return;
    const { transport } = this;
    if (this.resume && !this.resume.keep(encoded, !transport)) return this.#tooSlow(this.resume.bytes);
    if (!transport) return;
    const now = this.host.clock.now();
    const due = this.resume?.toAcknowledge(now);
    if (due === undefined) {
      transport.send(encoded);
    } else {
      // Two messages, one write.
      transport.cork?.();
      this.write(ack(due));
      transport.send(encoded);
      transport.uncork?.();
    }
    this.lastSent = now;
    if (transport.buffered > this.host.limits.bufferedBytes) this.#tooSlow(transport.buffered);
  }

  /** Sends what does not count: pings, acknowledgements, the goodbye. Never throws. */
  write(message: Message): void {
    if (this.state !== 'active' || !this.protocol || !this.transport) return;
    try {
      this.transport.send({ data: this.protocol.write(message) });
    } catch (err) {
      this.host.logger.error({ connectionId: this.id, type: message.type, err }, 'a message could not be encoded');
    }
    this.lastSent = this.host.clock.now();
  }

  ping(): void {
    this.write(pingMessage);
  }

  #tooSlow(buffered: number): void {
    this.host.counters.slow++;
    this.host.logger.warn({ connectionId: this.id, buffered }, 'client reads too slowly');
    this.end({ allowReconnect: true, reason: 'slow' });
  }

  /** For those who can wait: resolves when the client takes more, at once where it does or is gone. */
  writable(): Promise<void> | undefined {
    if (this.state !== 'active') return undefined;
    const isFull = !this.transport || this.resume?.isFull;
    if (!isFull && !this.transport?.congested) return undefined;
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
      if (!isFull) this.transport?.onDrain(() => this.#wake());
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const resolve of waiting ?? []) resolve();
  }

  /** Tells the client what has come, when it is time. */
  acknowledge(now: number): void {
    const sequenceId = this.resume?.toAcknowledge(now);
    if (sequenceId !== undefined) this.write(ack(sequenceId));
  }

  /** The client has everything up to this number. */
  acknowledged(sequenceId: number): void {
    this.resume?.acknowledged(sequenceId);
    if (this.#waiting && !this.resume?.isFull) this.#wake();
  }

  /** Stops or continues the reading of this client, for one of several reasons. */
  pauseReading(reason: number, isHeld: boolean): void {
    const before = this.#holds;
    this.#holds = isHeld ? before | reason : before & ~reason;
    if (before === 0 && this.isHeld) this.transport?.pause();
    else if (before > 0 && !this.isHeld) {
      this.lastReceived = this.host.clock.now();
      this.transport?.resume();
    }
    if (this.#onRoom && !this.isQueueFull) {
      turns.later(this.#onRoom);
      this.#onRoom = undefined;
    }
  }

  /** Whether no more calls may wait for their turn. */
  get isQueueFull(): boolean {
    return (this.#holds & pauseReason.queue) > 0;
  }

  /** Whether the client has gone while what it sent still waits; until `deadline`. */
  get hasLeft(): boolean {
    return this.#goodbye !== undefined;
  }

  /** Calls back when it is the turn of this connection, and its queue has room. Not after its end. */
  whenRoom(work: () => void): void {
    if (this.isQueueFull) this.#onRoom = work;
    else turns.later(work);
  }

  /** Whether the client is not read: its silence then means nothing. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** Ends at once: Close message, end of the transport, `onDisconnected`. */
  end(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (this.state === 'disposed') return;
    const { transport } = this;
    const { error, allowReconnect } = options;
    const close: Close = { type: 7, ...(error && { error }), ...(allowReconnect && { allowReconnect }) };
    this.write(close);
    this.dispose(options.reason);
    transport?.close();
  }

  /** Ends as soon as nothing runs, streams included; those of a client that has said goodbye end now. Calls that arrive from now on are dropped. */
  endWhenIdle(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (options.reason === 'client-stop') this.streams?.abandon();
    if (this.idle && !this.streams?.busy) return this.end(options);
    this.closing ??= options;
    this.deadline = this.host.clock.now() + lingerMs;
  }

  /** All that was received has been handled. */
  caughtUp(): void {
    this.isDeferred = false;
    this.pauseReading(pauseReason.turn, false);
    if (this.#goodbye) this.transportEnded(this.#goodbye, 'goodbye');
    else this.endIfDue();
  }

  /** Something that ran has ended. */
  endIfDue(): void {
    if (this.state === 'active' && this.closing && this.idle && !this.streams?.busy) this.end(this.closing);
  }

  /** A transport has ended. What was received before a goodbye still runs; after a broken line it may be resumed. */
  transportEnded(transport: Transport, how: 'goodbye' | 'left' | 'lost' | 'error'): void {
    if (this.transport !== transport) return;
    if (how === 'goodbye' && this.isDeferred) {
      // What has come before it still runs, but not for ever.
      this.#goodbye = transport;
      this.deadline = this.host.clock.now() + lingerMs;
      return;
    }
    const isLost = how === 'lost' || how === 'left';
    if (isLost) this.lostAt = this.host.clock.now();
    if (isLost && this.resumable) {
      const { holdMs = 0 } = this.host.statefulReconnect ?? {};
      this.transport = undefined;
      this.deadline = this.lostAt + (how === 'left' ? Math.min(holdMs, leftMs) : holdMs);
      return;
    }
    if (this.closing) return;
    if (how === 'goodbye' && this.state === 'active') this.endWhenIdle({ reason: 'client-stop' });
    else this.dispose(how === 'goodbye' ? 'client-stop' : how === 'left' ? 'lost' : how);
  }

  dispose(reason: DisconnectReason): void {
    if (this.state === 'disposed') return;
    this.state = 'disposed';
    this.reason = reason;
    this.transport?.inbox?.end();
    this.queue = undefined;
    this.#onRoom = undefined;
    this.partial = undefined;
    if (!this.transport) this.host.counters.dropped += this.resume?.count ?? 0;
    this.resume = undefined;
    this.host.ended(this);
    this.streams?.abandon();
    this.results?.abandon();
    this.abortion?.abort();
    this.#wake();
  }
}

export interface Naming {
  /** The process that holds the connection: part of its id and token, so that others find it. */
  readonly instance: string;
  readonly quotaKey: string;
  readonly address: string;
  readonly publicTokenOnly?: boolean;
  readonly mayResume?: boolean;
}
