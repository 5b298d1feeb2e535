import { randomBytes } from 'node:crypto';
import type { AnyContext, AnyDefinition, AnyMethod, Limits, Timings } from '../hub.ts';
import type { Close, Invocation, Message, Protocol } from '../protocol/messages.ts';
import type { Clock, CloseOptions, DisconnectReason, Identity, Logger, StandardSchema } from '../types.ts';
import type { Encoded, Transport } from './transport.ts';

export interface Method {
  readonly name: string;
  readonly run: AnyMethod;
  readonly inputs: readonly StandardSchema[] | undefined;
  readonly arity: number;
  readonly maxBytes: number;
}

/** What a connection needs from its hub. */
export interface Owner {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  /** The largest limit of any method. */
  readonly maxBytes: number;
  readonly timings: Timings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters: { invocations: number; failures: number; protocolErrors: number; slow: number };
  method(target: string): Method | undefined;
  contextOf(connection: Connection): AnyContext;
  /** The handshake is done: messages may reach the connection. Throws what the hub's `identity` throws. */
  activated(connection: Connection): void;
  /** The connection is over: nothing reaches it any more, and the hub's `onDisconnected` runs if it is due. */
  ended(connection: Connection): void;
  farewell(connection: Connection): void;
}

/** How long a connection may take to finish what it received before the client said goodbye. */
const lingerMs = 5_000;
const pingMessage = { type: 6 } as const;

/**
 * One client, from negotiation to its end. States: `negotiated` (no transport yet), `handshake`, `active`, `disposed`.
 * There is one object per connection and no closure or timer, which keeps an idle connection small.
 */
export class Connection {
  readonly id: string;
  /** The secret that later requests carry; never the public id (SPEC.md, N rules). */
  readonly token: string;
  readonly owner: Owner;
  /** Whose quota of negotiations this one uses. */
  readonly quotaKey: string;
  who: Identity<unknown>;
  search = '';
  identity: string | undefined = undefined;
  state: 'negotiated' | 'handshake' | 'active' | 'disposed' = 'negotiated';
  /** Whether `onConnected` has run: only then `onDisconnected` follows. */
  opened: 'no' | 'running' | 'yes' | 'failed' = 'no';
  transport: Transport | undefined = undefined;
  protocol: Protocol | undefined = undefined;
  context: AnyContext | undefined = undefined;
  abortion: AbortController | undefined = undefined;
  groups: Set<string> | undefined = undefined;
  /** Received bytes of an incomplete message. */
  partial: Buffer | undefined = undefined;
  /** Methods that run, and invocations (or a goodbye) that wait for them. */
  running = 0;
  queue: (Invocation | Close)[] | undefined = undefined;
  paused = false;
  reason: DisconnectReason = 'lost';
  /** Set when the connection is to end as soon as nothing runs; nothing new is accepted then. */
  closing: (CloseOptions & { readonly reason: DisconnectReason }) | undefined = undefined;
  createdAt: number;
  /** When the current state gives up waiting: negotiation, handshake, closing. */
  deadline: number;
  lastSent = 0;
  lastReceived = 0;
  /** Armed by the client's first ping: a client that never pings is never timed out. */
  timeoutArmed = false;

  constructor(owner: Owner, who: Identity<unknown>, quotaKey: string, publicTokenOnly: boolean) {
    const bytes = randomBytes(32);
    this.id = bytes.toString('base64url', 0, 16);
    this.token = publicTokenOnly ? this.id : bytes.toString('base64url', 16);
    this.owner = owner;
    this.who = who;
    this.quotaKey = quotaKey;
    this.createdAt = owner.clock.now();
    this.deadline = this.createdAt + owner.timings.negotiationMs;
  }

  attach(transport: Transport): void {
    const now = this.owner.clock.now();
    this.transport = transport;
    this.state = 'handshake';
    this.deadline = now + this.owner.timings.handshakeMs;
    this.lastReceived = now;
    this.lastSent = now;
  }

  get idle(): boolean {
    return this.running === 0 && !this.queue?.length;
  }

  /** Encodes and sends to this client alone. Does nothing when it is gone. Throws what the encoding throws. */
  sendMessage(message: Message): void {
    if (this.state === 'active' && this.protocol) this.send({ data: this.protocol.write(message) });
  }

  send(encoded: Encoded): void {
    const { transport } = this;
    if (this.state === 'disposed' || !transport) return;
    transport.send(encoded);
    this.lastSent = this.owner.clock.now();
    if (transport.buffered > this.owner.limits.bufferedBytes) {
      this.owner.counters.slow++;
      this.owner.logger.warn({ connectionId: this.id, buffered: transport.buffered }, 'client reads too slowly');
      this.end({ allowReconnect: true, reason: 'slow' });
    }
  }

  ping(): void {
    this.sendMessage(pingMessage);
  }

  /** Ends at once: Close message, end of the transport, `onDisconnected`. */
  end(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (this.state === 'disposed') return;
    const { transport, protocol } = this;
    if (this.state === 'active' && transport && protocol) {
      const { error, allowReconnect } = options;
      const close: Close = { type: 7, ...(error && { error }), ...(allowReconnect && { allowReconnect }) };
      transport.send({ data: protocol.write(close) });
    }
    this.dispose(options.reason);
    transport?.close();
  }

  /** Ends as soon as nothing runs. What arrives from now on is dropped. */
  endWhenIdle(options: CloseOptions & { readonly reason: DisconnectReason }): void {
    if (this.idle) return this.end(options);
    this.closing ??= options;
    this.deadline = this.owner.clock.now() + lingerMs;
  }

  /** The transport has ended. What was received before a goodbye still runs; after a broken line it does not. */
  transportEnded(how: 'goodbye' | 'lost' | 'error'): void {
    if (this.closing) return;
    if (how === 'goodbye' && this.state === 'active') this.endWhenIdle({ reason: 'client-stop' });
    else this.dispose(how === 'goodbye' ? 'client-stop' : how);
  }

  dispose(reason: DisconnectReason): void {
    if (this.state === 'disposed') return;
    this.state = 'disposed';
    this.reason = reason;
    this.queue = undefined;
    this.partial = undefined;
    this.owner.ended(this);
    this.abortion?.abort();
  }
}
