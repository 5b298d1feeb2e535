import { randomBytes } from 'node:crypto';
import { type BytesMeasurement, received, sent } from '../diagnostics.ts';
import type { AnyContext, AnyDefinition, Limits, StatefulReconnect, Timings } from '../hub.ts';
import type { Samples } from '../metrics.ts';
import type { Encoded } from '../protocol/encoded.ts';
import type { Ack, Close, Message, Protocol } from '../protocol/messages.ts';
import { texts } from '../protocol/texts.ts';
import type { Clock, DisconnectReason, Identity, Logger } from '../types.ts';
import type { Calls } from './calls.ts';
import { type ClientChannel, pauseReason } from './client-channel.ts';
import type { Counters } from './counters.ts';
import { Inbound } from './inbound.ts';
import type { Method } from './method.ts';
import type { ClientResults } from './results.ts';
import { Resume } from './resume.ts';
import { Active, Disposed, type Ending, Handshake, Negotiated, type State } from './state.ts';
import type { Streams } from './streams.ts';
import type { PollingTransport, Transport } from './transport.ts';

/** What a connection needs from its hub. */
export interface ConnectionHost {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  /** The largest limit of any method. */
  readonly maxBytes: number;
  /** The largest frame or POST, bytes. */
  readonly maxPayload: number;
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

/** One connection, from negotiation to its end. It has no closures or timers, so that idle connections need little memory. */
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
  state: State;
  /** The state of `onConnected`; `onDisconnected` runs only after `yes`. */
  opened: 'no' | 'running' | 'yes' | 'failed' = 'no';
  context: AnyContext | undefined = undefined;
  abortController: AbortController | undefined = undefined;
  groups: Set<string> | undefined = undefined;
  streams: Streams | undefined = undefined;
  results: ClientResults | undefined = undefined;
  readonly inbound = new Inbound();
  calls: Calls | undefined = undefined;
  #waiting: (() => void)[] | undefined = undefined;
  readonly createdAt: number;
  activatedAt = 0;
  lastSent = 0;
  lastReceived = 0;

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
    this.state = new Negotiated(this.createdAt + host.timings.negotiationMs);
  }

  /** Undefined before the client has started one, and after it was lost. */
  get transport(): Transport | undefined {
    return this.state.transport;
  }

  /** Undefined before the handshake. */
  get protocol(): Protocol | undefined {
    return this.state.protocol;
  }

  attach(transport: Transport): void {
    const now = this.host.clock.now();
    this.state = new Handshake(transport, now + this.host.timings.handshakeMs);
    this.lastReceived = now;
    this.lastSent = now;
  }

  /** The handshake is complete. With stateful reconnect sent messages are kept until they are acknowledged. */
  activate(transport: Transport, protocol: Protocol, canResume: boolean): void {
    const { statefulReconnect } = this.host;
    const isEnabled = canResume && this.mayResume && statefulReconnect;
    this.state = new Active(transport, protocol, isEnabled ? new Resume(statefulReconnect.bufferBytes) : undefined);
  }

  /** Whether a new transport may take over, also while this side still considers the old one connected. */
  get isResumable(): boolean {
    const { state } = this;
    return state.kind === 'active' && state.resume?.isComplete === true && !state.closing;
  }

  /** Resumes on a new transport: replaces the old one and repeats messages that are not acknowledged. */
  reattach(transport: Transport): void {
    const { state, host } = this;
    if (state.kind !== 'active' || !state.resume) return;
    const old = state.transport;
    const now = host.clock.now();
    state.transport = transport;
    this.inbound.partial = undefined;
    this.lastReceived = now;
    state.congestedSince = 0;
    state.lostAt = 0;
    state.hasPinged = false;
    old?.destroy();
    state.deadline = now + sequenceTimeoutMs;
    const { first, kept } = state.resume.reattached();
    this.write({ type: 9, sequenceId: first });
    for (const encoded of kept) this.transmit(transport, encoded);
    this.lastSent = now;
    host.counters.resumed++;
    host.counters.replayed += kept.length;
    this.#wake();
    host.resumed(this);
  }

  /** The client has sent Sequence on the new transport. Until then it was read regardless of back-pressure. */
  onSequence(): void {
    if (this.inbound.isPaused) this.transport?.pause();
  }

  /** Why the connection ended. */
  get reason(): DisconnectReason {
    return this.state.kind === 'disposed' ? this.state.reason : 'lost';
  }

  /** When the client was last known to be connected, ms since the epoch. */
  get lastSeen(): number {
    const { state } = this;
    if ((state.kind === 'active' || state.kind === 'disposed') && state.lostAt > 0) return state.lostAt;
    return state.kind === 'disposed' && state.reason === 'timeout' ? this.lastReceived : this.host.clock.now();
  }

  /** Logs errors of an abort signal's listeners. */
  get abortFailed(): (error: unknown) => void {
    const { id, host } = this;
    return (err) => host.logger.error({ connectionId: id, err }, 'a listener of an abort signal failed');
  }

  get isIdle(): boolean {
    return !this.calls?.isBusy && !this.inbound.isDeferred;
  }

  /** Encodes and sends a message to this client. Does nothing when it has disconnected. Throws what the encoding throws. */
  sendMessage(message: Message): void {
    const { state } = this;
    if (state.kind === 'active') this.send({ data: state.protocol.write(message) });
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
    const { state } = this;
    if (state.kind !== 'active') return;
    const { transport, resume } = state;
    if (resume && !resume.keep(encoded, !transport)) return this.#tooSlow(resume.bytes);
    if (!transport) return;
    const now = this.host.clock.now();
    const due = resume?.toAcknowledge(now);
    if (due === undefined) {
      this.transmit(transport, encoded);
    } else {
      // Corked, so that both messages go out in one write.
      transport.cork?.();
      this.write(ack(due));
      this.transmit(transport, encoded);
      transport.uncork?.();
    }
    this.lastSent = now;
    if (transport.buffered > this.host.limits.bufferedBytes) this.#tooSlow(transport.buffered);
  }

  /** Sends a message that is not numbered: Ping, Ack, Sequence, Close. Never throws. */
  write(message: Message): void {
    const { state } = this;
    if (state.kind !== 'active' || !state.transport) return;
    try {
      this.transmit(state.transport, { data: state.protocol.write(message) });
    } catch (err) {
      this.host.logger.error({ connectionId: this.id, type: message.type, err }, 'a message could not be encoded');
    }
    this.lastSent = this.host.clock.now();
  }

  /** Sends bytes that are already encoded, in any state. */
  transmit(transport: Transport, encoded: Encoded): void {
    transport.send(encoded);
    if (sent.hasSubscribers) sent.publish(this.#measure(transport, Buffer.byteLength(encoded.data)));
  }

  /** Bytes have arrived on the transport. */
  measureReceived(bytes: number): void {
    const { transport } = this;
    if (received.hasSubscribers && transport) received.publish(this.#measure(transport, bytes));
  }

  #measure({ name: transport }: Transport, bytes: number): BytesMeasurement {
    return { hub: this.host.definition.path, connectionId: this.id, transport, bytes };
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
    const { state } = this;
    if (state.kind !== 'active') return undefined;
    const { transport } = state;
    const isFull = !transport || state.resume?.isFull;
    if (!isFull && !transport.congested) return undefined;
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
      if (!isFull) transport.onDrain(() => this.#wake());
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const resolve of waiting ?? []) resolve();
  }

  /** Sends an acknowledgement when one is due. */
  acknowledge(now: number): void {
    const sequenceId = this.state.kind === 'active' ? this.state.resume?.toAcknowledge(now) : undefined;
    if (sequenceId !== undefined) this.write(ack(sequenceId));
  }

  /** The client has acknowledged all messages up to this number. */
  acknowledged(sequenceId: number): void {
    const resume = this.state.kind === 'active' ? this.state.resume : undefined;
    resume?.acknowledged(sequenceId);
    if (this.#waiting && !resume?.isFull) this.#wake();
  }

  /** Pauses or continues reading from this client, for one of several reasons. */
  pauseReading(reason: number, isPaused: boolean): void {
    const { inbound, transport } = this;
    if (inbound.setPaused(reason, isPaused)) {
      if (isPaused) {
        transport?.pause();
      } else {
        this.lastReceived = this.host.clock.now();
        transport?.resume();
      }
    }
    inbound.scheduleReady();
  }

  /** Ends immediately: sends Close, closes the transport, runs `onDisconnected`. */
  end(options: Ending): void {
    if (this.state.kind === 'disposed') return;
    const { transport } = this;
    const { error, allowReconnect } = options;
    const close: Close = { type: 7, ...(error && { error }), ...(allowReconnect && { allowReconnect }) };
    this.write(close);
    this.dispose(options.reason);
    transport?.close();
  }

  /** Ends when no method or stream runs; after `client-stop` streams end now. Calls that arrive from now on are dropped. */
  endWhenIdle(options: Ending): void {
    if (options.reason === 'client-stop') this.streams?.abandon();
    const { state } = this;
    if (state.kind !== 'active' || this.#isFinished) return this.end(options);
    state.closing ??= options;
    state.deadline = this.host.clock.now() + lingerMs;
  }

  /** Whether no method or stream runs and no received message waits. */
  get #isFinished(): boolean {
    return this.isIdle && !this.streams?.isBusy;
  }

  /** All received bytes have been handled. */
  onCaughtUp(): void {
    this.inbound.isDeferred = false;
    this.pauseReading(pauseReason.turn, false);
    const { state } = this;
    if (state.kind === 'active' && state.stoppedTransport) this.transportEnded(state.stoppedTransport, 'stopped');
    else this.endIfDue();
  }

  /** Ends a closing connection when nothing runs. */
  endIfDue(): void {
    const { state } = this;
    if (state.kind === 'active' && state.closing && this.#isFinished) this.end(state.closing);
  }

  /** A transport has ended. After `stopped` received messages are still handled; after `lost` and `going-away` it may be resumed. */
  transportEnded(transport: Transport, how: TransportEnd): void {
    const { state } = this;
    if (state.transport !== transport || state.kind === 'disposed') return;
    if (state.kind === 'active') this.#endTransport(state, transport, how);
    else this.dispose(reasonOf(how));
  }

  #endTransport(state: Active, transport: Transport, how: TransportEnd): void {
    const now = this.host.clock.now();
    if (how === 'stopped' && this.inbound.isDeferred) {
      // Deferred messages are still handled, until the deadline.
      state.stoppedTransport = transport;
      state.deadline = now + lingerMs;
      return;
    }
    if (isLost(how)) state.lostAt = now;
    if (isLost(how) && this.isResumable) {
      const { holdMs = 0 } = this.host.statefulReconnect ?? {};
      state.transport = undefined;
      state.deadline = now + (how === 'going-away' ? Math.min(holdMs, goingAwayMs) : holdMs);
      return;
    }
    if (state.closing) return;
    if (how === 'stopped') this.endWhenIdle({ reason: 'client-stop' });
    else this.dispose(reasonOf(how));
  }

  dispose(reason: DisconnectReason): void {
    const { state } = this;
    if (state.kind === 'disposed') return;
    const last = state.kind === 'active' ? state : undefined;
    this.state = new Disposed(state, reason, last?.lostAt ?? 0);
    state.transport?.posts?.end();
    if (this.calls) this.calls.queue = undefined;
    this.inbound.clear();
    if (last && !last.transport) this.host.counters.dropped += last.resume?.count ?? 0;
    this.host.ended(this);
    this.streams?.abandon();
    this.results?.abandon();
    this.abortController?.abort();
    this.#wake();
  }
}

/** How a transport has ended: the client stopped it, its page goes away, it was lost, or it violated its rules. */
export type TransportEnd = 'stopped' | 'going-away' | 'lost' | 'error';

function isLost(how: TransportEnd): boolean {
  return how === 'lost' || how === 'going-away';
}

function reasonOf(how: TransportEnd): DisconnectReason {
  if (how === 'stopped') return 'client-stop';
  return how === 'error' ? 'error' : 'lost';
}

export interface ConnectionOptions {
  /** The node that holds the connection: part of its id and token, so that other nodes find it. */
  readonly instance: string;
  readonly quotaKey: string;
  readonly address: string;
  readonly publicTokenOnly?: boolean;
  readonly mayResume?: boolean;
}
