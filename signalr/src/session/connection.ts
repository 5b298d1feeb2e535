import { randomBytes } from 'node:crypto';
import type { AnyContext, AnyDefinition, Limits, StatefulReconnect, Timings } from '../hub.ts';
import type { Samples } from '../metrics.ts';
import type { Encoded } from '../protocol/encoded.ts';
import type { Ack, Close, Invocation, Message, Protocol } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import { scheduler } from '../scheduler.ts';
import type { Clock, CloseOptions, DisconnectReason, Identity, Logger } from '../types.ts';
import { type ClientChannel, pauseReason } from './client-channel.ts';
import type { Counters } from './counters.ts';
import type { Method } from './method.ts';
import type { PartialMessage } from './partial.ts';
import type { ClientResults } from './results.ts';
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
  /** Returns a context for one stream, with the stream's signal. */
  streamContextOf(connection: Connection, signal: () => AbortSignal): AnyContext;
  /** The handshake is complete: the connection receives messages. Throws what the hub's `identity` throws. */
  activated(connection: Connection): void;
  /** The connection has ended: it receives no messages, and `onDisconnected` runs if `onConnected` has succeeded. */
  ended(connection: Connection): void;
  runDisconnected(connection: Connection): void;
  /** The client has resumed the connection on a new transport. */
  resumed(connection: Connection): void;
  /** The connection has ended, but its client has not yet polled the last messages. */
  awaitLastPoll(connection: Connection, transport: PollingTransport): void;
  /** Round-trip times to clients, ms. */
  readonly roundTrips: Samples;
}

/** How long a closing connection may finish running methods, ms. */
const lingerMs = 5_000;
/** The grace period after close code 1001; a page that was frozen reconnects immediately when it resumes (SPEC.md, W5), ms. */
const goingAwayMs = 2_000;
/** The timeout for the Sequence message after a reconnect (SPEC.md, S7), ms. */
const sequenceTimeoutMs = 5_000;
const pingMessage = { type: 6 } as const;
const ack = (sequenceId: number): Ack => ({ type: 8, sequenceId });

/**
 * One connection, from negotiation to its end. States: `negotiated` (no transport yet), `handshake`, `active` (without a transport while
 * a stateful reconnect is possible), `disposed`. It has no closures or timers, so that idle connections need little memory.
 */
export class Connection implements ClientChannel {
  readonly id: string;
  /** The secret connection token of later requests; differs from the public id from negotiate version 1 on (SPEC.md, N rules). */
  readonly token: string;
  readonly host: ConnectionHost;
  /** The user or network to which this negotiation counts. */
  readonly quotaKey: string;
  /** The client's address. */
  address: string;
  /** The headers of the connecting request, one per line; one string needs less memory than an object. */
  headers = '';
  /** Whether stateful reconnect was negotiated; handshake version 2 enables it. */
  readonly mayResume: boolean;
  user: Identity<unknown>;
  /** The query of the connecting request. */
  search = '';
  identity: string | undefined = undefined;
  state: 'negotiated' | 'handshake' | 'active' | 'disposed' = 'negotiated';
  /** The state of `onConnected`; `onDisconnected` runs only after `yes`. */
  opened: 'no' | 'running' | 'yes' | 'failed' = 'no';
  transport: Transport | undefined = undefined;
  protocol: Protocol | undefined = undefined;
  resume: Resume | undefined = undefined;
  context: AnyContext | undefined = undefined;
  abortController: AbortController | undefined = undefined;
  groups: Set<string> | undefined = undefined;
  streams: Streams | undefined = undefined;
  results: ClientResults | undefined = undefined;
  /** Received bytes of an incomplete message, or of deferred messages. */
  partial: PartialMessage | undefined = undefined;
  /** The remaining calls of the rate limit, and when they were computed, ms since the epoch. */
  callBudget: { left: number; at: number } | undefined = undefined;
  /** Since when the same message is incomplete, as seen by the check once a second; 0: none is. */
  incompleteSince = 0;
  /** The number of messages handled since the last bytes arrived. */
  burst = 0;
  /** Whether received bytes wait for a later turn; and whether the invocation queue does. */
  isDeferred = false;
  isQueueDeferred = false;
  /** The transport that the client has stopped while received messages still wait. */
  #stoppedTransport: Transport | undefined = undefined;
  #onReady: (() => void) | undefined = undefined;
  /** The number of running methods, and the invocations that wait for them. */
  running = 0;
  queue: Invocation[] | undefined = undefined;
  #pauseReasons = 0;
  #waiting: (() => void)[] | undefined = undefined;
  reason: DisconnectReason = 'lost';
  /** Set when the connection ends as soon as no method runs; new invocations are dropped. */
  closing: (CloseOptions & { readonly reason: DisconnectReason }) | undefined = undefined;
  readonly createdAt: number;
  activatedAt = 0;
  /** The deadline of the current state: negotiation, handshake, stateful reconnect, closing. */
  deadline: number;
  lastSent = 0;
  lastReceived = 0;
  /** When the transport was lost, ms since the epoch; 0: it is connected. */
  lostAt = 0;
  /** Since when the client reads nothing; 0: it reads. */
  congestedSince = 0;
  /** Whether the client has sent a ping; the client timeout applies only then. */
  hasPinged = false;

  constructor(host: ConnectionHost, user: Identity<unknown>, options: ConnectionOptions) {
    const bytes = randomBytes(32);
    this.id = `${options.instance}.${bytes.toString('base64url', 0, 16)}`;
    this.token = options.publicTokenOnly ? this.id : `${options.instance}.${bytes.toString('base64url', 16)}`;
    this.host = host;
    this.user = user;
    this.quotaKey = options.quotaKey;
    this.address = options.address;
    this.mayResume = options.mayResume ?? false;
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

  /** Whether a new transport may take over, also while this side still considers the old one connected. */
  get isResumable(): boolean {
    return this.state === 'active' && this.resume?.isComplete === true && !this.closing;
  }

  /** Resumes on a new transport: replaces the old one and repeats messages that are not acknowledged. */
  reattach(transport: Transport): void {
    const { resume, protocol, host } = this;
    if (!resume || !protocol) return;
    const old = this.transport;
    const now = host.clock.now();
    this.transport = transport;
    this.partial = undefined;
    this.lastReceived = now;
    this.congestedSince = 0;
    this.lostAt = 0;
    this.hasPinged = false;
    old?.destroy();
    this.deadline = now + sequenceTimeoutMs;
    const { first, kept } = resume.reattached();
    this.write({ type: 9, sequenceId: first });
    for (const encoded of kept) transport.send(encoded);
    this.lastSent = now;
    host.counters.resumed++;
    host.counters.replayed += kept.length;
    this.#wake();
    host.resumed(this);
  }

  /** The client has sent Sequence on the new transport. Until then it was read regardless of back-pressure. */
  onSequence(): void {
    if (this.isPaused) this.transport?.pause();
  }

  /** When the client was last known to be connected, ms since the epoch. */
  get lastSeen(): number {
    if (this.lostAt > 0) return this.lostAt;
    return this.reason === 'timeout' ? this.lastReceived : this.host.clock.now();
  }

  /** Enables stateful reconnect: sent messages are kept until they are acknowledged. */
  enableResume(): void {
    const { statefulReconnect } = this.host;
    if (this.mayResume && statefulReconnect) this.resume = new Resume(statefulReconnect.bufferBytes);
  }

  /** Logs errors of an abort signal's listeners. */
  get abortFailed(): (error: unknown) => void {
    const { id, host } = this;
    return (err) => host.logger.error({ connectionId: id, err }, 'a listener of an abort signal failed');
  }

  get isIdle(): boolean {
    return this.running === 0 && !this.queue?.length && !this.isDeferred;
  }

  /** Encodes and sends a message to this client. Does nothing when it has disconnected. Throws what the encoding throws. */
  sendMessage(message: Message): void {
    if (this.state === 'active' && this.protocol) this.send({ data: this.protocol.write(message) });
  }

  /** Like `sendMessage`, for a completion that the client waits for: when it cannot be encoded, the connection ends. Never throws. */
  respond(message: Message): void {
    try {
      this.sendMessage(message);
    } catch (err) {
      this.host.logger.error({ connectionId: this.id, err }, 'an answer could not be encoded');
      this.end({ error: texts.closedWithError, allowReconnect: true, reason: 'error' });
    }
  }

  /** Sends an encoded call, item or completion. With stateful reconnect it is kept until it is acknowledged. */
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
      // Corked, so that both messages go out in one write.
      transport.cork?.();
      this.write(ack(due));
      transport.send(encoded);
      transport.uncork?.();
    }
    this.lastSent = now;
    if (transport.buffered > this.host.limits.bufferedBytes) this.#tooSlow(transport.buffered);
  }

  /** Sends a message that is not numbered: Ping, Ack, Sequence, Close. Never throws. */
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

  /** Resolves when the client can take more messages; undefined when it already can or has disconnected. */
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

  /** Sends an acknowledgement when one is due. */
  acknowledge(now: number): void {
    const sequenceId = this.resume?.toAcknowledge(now);
    if (sequenceId !== undefined) this.write(ack(sequenceId));
  }

  /** The client has acknowledged all messages up to this number. */
  acknowledged(sequenceId: number): void {
    this.resume?.acknowledged(sequenceId);
    if (this.#waiting && !this.resume?.isFull) this.#wake();
  }

  /** Pauses or continues reading from this client, for one of several reasons. */
  pauseReading(reason: number, isPaused: boolean): void {
    const before = this.#pauseReasons;
    this.#pauseReasons = isPaused ? before | reason : before & ~reason;
    if (before === 0 && this.isPaused) this.transport?.pause();
    else if (before > 0 && !this.isPaused) {
      this.lastReceived = this.host.clock.now();
      this.transport?.resume();
    }
    if (this.#onReady && !this.isQueueFull) {
      scheduler.schedule(this.#onReady);
      this.#onReady = undefined;
    }
  }

  /** Whether the invocation queue is full. */
  get isQueueFull(): boolean {
    return (this.#pauseReasons & pauseReason.queue) > 0;
  }

  /** Whether the client has stopped while its received messages still wait; until `deadline`. */
  get isStopping(): boolean {
    return this.#stoppedTransport !== undefined;
  }

  /** Schedules work for when the invocation queue has room; dropped when the connection ends. */
  whenReady(work: () => void): void {
    if (this.isQueueFull) this.#onReady = work;
    else scheduler.schedule(work);
  }

  /** Whether reading is paused; the client timeout does not apply meanwhile. */
  get isPaused(): boolean {
    return this.#pauseReasons > 0;
  }

  /** Ends immediately: sends Close, closes the transport, runs `onDisconnected`. */
  end(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (this.state === 'disposed') return;
    const { transport } = this;
    const { error, allowReconnect } = options;
    const close: Close = { type: 7, ...(error && { error }), ...(allowReconnect && { allowReconnect }) };
    this.write(close);
    this.dispose(options.reason);
    transport?.close();
  }

  /** Ends when no method or stream runs; after `client-stop` streams end now. Calls that arrive from now on are dropped. */
  endWhenIdle(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (options.reason === 'client-stop') this.streams?.abandon();
    if (this.isIdle && !this.streams?.isBusy) return this.end(options);
    this.closing ??= options;
    this.deadline = this.host.clock.now() + lingerMs;
  }

  /** All received bytes have been handled. */
  onCaughtUp(): void {
    this.isDeferred = false;
    this.pauseReading(pauseReason.turn, false);
    if (this.#stoppedTransport) this.transportEnded(this.#stoppedTransport, 'stopped');
    else this.endIfDue();
  }

  /** Ends a closing connection when nothing runs. */
  endIfDue(): void {
    if (this.state === 'active' && this.closing && this.isIdle && !this.streams?.isBusy) this.end(this.closing);
  }

  /** A transport has ended. After `stopped` received messages are still handled; after `lost` and `going-away` it may be resumed. */
  transportEnded(transport: Transport, how: 'stopped' | 'going-away' | 'lost' | 'error'): void {
    if (this.transport !== transport) return;
    if (how === 'stopped' && this.isDeferred) {
      // Deferred messages are still handled, until the deadline.
      this.#stoppedTransport = transport;
      this.deadline = this.host.clock.now() + lingerMs;
      return;
    }
    const isLost = how === 'lost' || how === 'going-away';
    if (isLost) this.lostAt = this.host.clock.now();
    if (isLost && this.isResumable) {
      const { holdMs = 0 } = this.host.statefulReconnect ?? {};
      this.transport = undefined;
      this.deadline = this.lostAt + (how === 'going-away' ? Math.min(holdMs, goingAwayMs) : holdMs);
      return;
    }
    if (this.closing) return;
    if (how === 'stopped' && this.state === 'active') this.endWhenIdle({ reason: 'client-stop' });
    else this.dispose(how === 'stopped' ? 'client-stop' : how === 'going-away' ? 'lost' : how);
  }

  dispose(reason: DisconnectReason): void {
    if (this.state === 'disposed') return;
    this.state = 'disposed';
    this.reason = reason;
    this.transport?.posts?.end();
    this.queue = undefined;
    this.#onReady = undefined;
    this.partial = undefined;
    if (!this.transport) this.host.counters.dropped += this.resume?.count ?? 0;
    this.resume = undefined;
    this.host.ended(this);
    this.streams?.abandon();
    this.results?.abandon();
    this.abortController?.abort();
    this.#wake();
  }
}

export interface ConnectionOptions {
  /** The node that holds the connection: part of its id and token, so that other nodes find it. */
  readonly instance: string;
  readonly quotaKey: string;
  readonly address: string;
  readonly publicTokenOnly?: boolean;
  readonly mayResume?: boolean;
}
