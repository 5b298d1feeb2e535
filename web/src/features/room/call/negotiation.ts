import { EarlyCandidates } from './early-candidates.ts';
import type { Signal } from './signal.ts';

/** A signal to the other peer, without the instance, which the room adds. */
export type Outgoing = Omit<Signal, 'instance'>;

interface Parts {
  /** Yields when both offer at the same time; exactly one of two peers is polite. */
  polite: boolean;
  send: (signal: Outgoing) => void;
  /** Creates the connection for an offer of the other side, and calls `begin` with it. */
  follow: () => RTCPeerConnection;
  /** The other side's offer is used instead of this side's, so that side repairs the connection. */
  onYield: () => void;
  /** Whether the connection must be replaced after crossing offers, since it would send nothing any more. */
  mustReplace: () => boolean;
  /** Builds a new connection. */
  replace: () => void;
  /** This side's offer was rolled back, and the other side's answered. */
  onRolledBack: (pc: RTCPeerConnection) => Promise<void>;
  /** Prepares a connection before its next description. */
  prepare: (pc: RTCPeerConnection) => void;
  /** A description of the other side was applied. */
  onProgress: () => void;
}

/**
 * W3C 'perfect negotiation' with one other peer, over the RTCPeerConnections that follow each other. A signal names its connection and the
 * one it answers; those of replaced connections are dropped.
 */
export class Negotiation {
  readonly #parts: Parts;
  #pc: RTCPeerConnection | undefined;
  /** Ids of this side's connection and of the other side's that belongs to it. */
  #mine = '';
  #theirs: string | undefined;
  /** The newest offer of `#theirs` that was handled; the same one may arrive twice. */
  #handled = 0;
  readonly #early = new EarlyCandidates();
  readonly #retired = new Set<string>();
  #offers = 0;
  #ignoring = false;
  /** Signals and offers are handled strictly one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The id of this side's connection. */
  get connection(): string {
    return this.#mine;
  }

  /** Negotiates a new connection. */
  begin(pc: RTCPeerConnection, id: string): void {
    this.#pc = pc;
    this.#mine = id;
    this.#ignoring = false;
    pc.onnegotiationneeded = () => void this.#inTurn(() => (pc === this.#pc ? this.#offer(pc) : undefined));
    pc.onicecandidate = ({ candidate }) => {
      if (candidate && pc === this.#pc)
        this.#send({ candidate: candidate.toJSON() as NonNullable<Signal['candidate']> });
    };
  }

  /** Forgets the connection; late signals of the other side's are dropped. */
  drop(): void {
    if (this.#theirs !== undefined) this.#retired.add(this.#theirs);
    this.#theirs = undefined;
    this.#handled = 0;
    this.#pc = undefined;
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }

  /** Handles a signal after the earlier ones. */
  receive(signal: Signal): Promise<void> {
    return this.#inTurn(() => this.#handle(signal));
  }

  #send(signal: Omit<Outgoing, 'connection' | 'to'>): void {
    const to = this.#theirs === undefined ? {} : { to: this.#theirs };
    this.#parts.send({ connection: this.#mine, ...to, ...signal });
  }

  #inTurn(work: () => Promise<void> | undefined): Promise<void> {
    const done = this.#queue.then(async () => {
      if (!this.#closed) await work();
    });
    // The peer's timers recover from an error here; the next signal must not wait for it.
    this.#queue = done.catch(() => undefined);
    return done.catch(() => undefined);
  }

  async #offer(pc: RTCPeerConnection): Promise<void> {
    // Not stable: the browser fires negotiationneeded again once it is.
    if (pc.signalingState !== 'stable') return;
    this.#parts.prepare(pc);
    await pc.setLocalDescription();
    this.#offers += 1;
    this.#sendDescription(pc, this.#offers);
  }

  #sendDescription(pc: RTCPeerConnection, offer: number): void {
    const { type, sdp } = pc.localDescription ?? {};
    if (pc !== this.#pc || (type !== 'offer' && type !== 'answer')) return;
    this.#send({ description: { type, sdp: sdp ?? '' }, offer });
  }

  async #handle(signal: Signal): Promise<void> {
    const { connection, description, candidate } = signal;
    if (this.#retired.has(connection)) return;
    if (description?.type === 'offer') return this.#answer(signal, description);
    const pc = this.#pc;
    // Until the callee's connection is known, the caller cannot name it.
    if (!pc || (signal.to !== undefined && signal.to !== this.#mine)) return;
    if (description) {
      const isAwaited = signal.offer === this.#offers && pc.signalingState === 'have-local-offer';
      if (!isAwaited) return;
      this.#theirs = connection;
      await this.#apply(pc, description);
    } else if (candidate) {
      this.#early.hold(connection, candidate);
      await this.#addCandidates(pc);
    }
  }

  async #apply(pc: RTCPeerConnection, description: RTCSessionDescriptionInit): Promise<void> {
    await pc.setRemoteDescription(description);
    this.#parts.onProgress();
    await this.#addCandidates(pc);
  }

  /** Adds the candidates that belong to the current description; the others wait for theirs. */
  async #addCandidates(pc: RTCPeerConnection): Promise<void> {
    const sdp = pc.remoteDescription?.sdp;
    if (sdp === undefined || this.#theirs === undefined) return;
    for (const candidate of this.#early.take(this.#theirs, sdp)) {
      try {
        await pc.addIceCandidate(candidate);
      } catch (error) {
        if (!this.#ignoring) throw error;
      }
    }
  }

  async #answer(signal: Signal, description: RTCSessionDescriptionInit): Promise<void> {
    // A connection other than the one this side belongs to: the other side started again.
    const isNewConnection = this.#theirs !== undefined && this.#theirs !== signal.connection;
    if (signal.to !== undefined && signal.to !== this.#mine) return;
    const offer = signal.offer ?? 0;
    if (!isNewConnection && offer <= this.#handled) return;
    const pc = this.#pc && !isNewConnection ? this.#pc : this.#parts.follow();
    this.#theirs = signal.connection;
    this.#handled = offer;
    // A browser closes a connection by itself without an event, for example when the process behind it has crashed.
    if (pc.signalingState === 'closed') return this.#parts.replace();
    const collision = pc.signalingState !== 'stable';
    this.#ignoring = collision && !this.#parts.polite;
    if (this.#ignoring) {
      // This side's offer may have been lost while the other side was away.
      if (pc.signalingState === 'have-local-offer') this.#sendDescription(pc, this.#offers);
      return;
    }
    if (collision) this.#parts.onYield();
    // Chromium (153) begins its streams again with a rollback, and sends none of them while it waits for reports on what was lost before.
    if (collision && this.#parts.mustReplace()) return this.#parts.replace();
    // This rolls back the polite side's own offer.
    await this.#apply(pc, description);
    this.#parts.prepare(pc);
    await pc.setLocalDescription();
    this.#sendDescription(pc, offer);
    if (collision) await this.#parts.onRolledBack(pc);
  }
}
