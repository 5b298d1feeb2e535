import type { Protocol } from '../protocol/messages.ts';
import type { CloseOptions, DisconnectReason } from '../types.ts';
import type { Resume } from './resume.ts';
import type { Transport } from './transport.ts';

/**
 * The state of a connection, with the fields that are valid in this state only. All states have `transport` and `protocol`, so that they
 * can be read without checking the state. Deadlines and times are milliseconds since the epoch.
 */
export type State = Negotiated | Handshake | Active | Disposed;

/** How and why this side ends a connection. */
export type Ending = CloseOptions & { readonly reason: DisconnectReason };

/** The client has not started a transport. */
export class Negotiated {
  readonly kind = 'negotiated';
  readonly transport: undefined;
  readonly protocol: undefined;
  readonly deadline: number;

  constructor(deadline: number) {
    this.deadline = deadline;
  }
}

/** The client has started a transport and not completed the handshake. */
export class Handshake {
  readonly kind = 'handshake';
  readonly transport: Transport;
  readonly protocol: undefined;
  readonly deadline: number;

  constructor(transport: Transport, deadline: number) {
    this.transport = transport;
    this.deadline = deadline;
  }
}

/** The handshake is complete. */
export class Active {
  readonly kind = 'active';
  readonly protocol: Protocol;
  /** Undefined: it was lost, and the client may resume the connection until `deadline`. */
  transport: Transport | undefined;
  /** Set when stateful reconnect is enabled. */
  readonly resume: Resume | undefined;
  /** When the transport was lost; 0: it is connected. */
  lostAt = 0;
  /** Set when the connection ends as soon as no method runs, at the latest at `deadline`; new invocations are dropped. */
  closing: Ending | undefined = undefined;
  /** The transport that the client has stopped while received messages still wait, until `deadline`. */
  stoppedTransport: Transport | undefined = undefined;
  /** The deadline of the reconnect, of the Sequence message after it, or of the end. */
  deadline = 0;
  /** Whether the client has sent a ping on this transport; the client timeout applies only then. */
  hasPinged = false;
  /** Since when the client reads nothing; 0: it reads. */
  congestedSince = 0;

  constructor(transport: Transport, protocol: Protocol, resume: Resume | undefined) {
    this.transport = transport;
    this.protocol = protocol;
    this.resume = resume;
  }
}

/** The connection has ended. */
export class Disposed {
  readonly kind = 'disposed';
  /** The transport and the protocol that the connection had. */
  readonly transport: Transport | undefined;
  readonly protocol: Protocol | undefined;
  readonly reason: DisconnectReason;
  /** When the transport was lost; 0: it was connected. */
  readonly lostAt: number;

  constructor(last: Exclude<State, Disposed>, reason: DisconnectReason, lostAt: number) {
    this.transport = last.transport;
    this.protocol = last.protocol;
    this.reason = reason;
    this.lostAt = lostAt;
  }
}
