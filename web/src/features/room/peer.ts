import type { Clock } from './clock.ts';
import { ControlChannel } from './control-channel.ts';
import { FreezeWatch } from './freeze-watch.ts';
import type { MediaState, Signal } from './signal.ts';

/** A signal to the other peer, without the names that this file adds. */
export type Outgoing = Omit<Signal, 'instance'>;

export interface PeerParts {
  /** Yields when both offer at the same time; exactly one of two peers is polite. */
  polite: boolean;
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  newId: () => string;
  /** Creates a connection with the current ICE servers. */
  connect: () => RTCPeerConnection;
  send: (signal: Outgoing) => void;
  /** False while the hub is disconnected: a new connection could not be negotiated. */
  canSignal: () => boolean;
  stream: () => MediaStream | undefined;
  mediaState: () => MediaState;
  onChange: () => void;
  onNotice: (notice: 'lost' | 'frozen') => void;
  /** The other peer has left on purpose. */
  onBye: () => void;
}

export interface PeerView {
  stream: MediaStream | undefined;
  link: 'connecting' | 'live' | 'lost';
  mediaState: MediaState;
}

/** STATE-22, CONST-5, ms. */
const timing = {
  /** Time in 'disconnected' before the initiator restarts ICE. */
  reconnect: 1_000,
  /** Time without recovery before a new RTCPeerConnection is created. */
  rebuild: 15_000,
} as const;

/**
 * The connection to one other device: W3C 'perfect negotiation' on the native RTCPeerConnection, with its recovery. One of
 * the two calls; when either side creates a new RTCPeerConnection, the other follows.
 */
export class Peer {
  readonly #parts: PeerParts;
  #pc: RTCPeerConnection | undefined;
  readonly #control: ControlChannel;
  readonly #freezes: FreezeWatch;
  /** Ids of this side's connection and of the other side's that belongs to it. */
  #mine = '';
  #theirs: string | undefined;
  readonly #retired = new Set<string>();
  #offers = 0;
  /** This side started the current connection and repairs it. */
  #initiator = false;
  #ignoring = false;
  /** Signals and offers are handled strictly one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #view: PeerView = { stream: undefined, link: 'connecting', mediaState: { sound: true, picture: true } };
  /** The current connection has tracks. Until then the view keeps the video of the previous one. */
  #brings = false;
  #closed = false;
  #cancelReconnect: (() => void) | undefined;
  #cancelRebuild: (() => void) | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    this.#control = new ControlChannel({
      clock: parts.clock,
      onOpen: () => this.sendMarks(),
      onMediaState: (mediaState) => this.#show({ mediaState }),
      onBye: parts.onBye,
      onClose: parts.onChange,
    });
    this.#freezes = new FreezeWatch({
      clock: parts.clock,
      random: parts.random,
      expects: () => this.#brings && (this.#view.mediaState.sound || this.#view.mediaState.picture),
      onFrozen: () => this.#frozen(),
      // Restarting ICE did not help.
      onStillFrozen: () => void (parts.canSignal() && this.#build(true)),
      onThawed: () => this.#show({ link: 'live' }),
    });
  }

  get view(): PeerView {
    return this.#view;
  }

  /** True while the other page can be reached, with or without the hub. */
  get reachable(): boolean {
    return this.#control.isOpen;
  }

  /** Whether what is queued for this connection should still be sent. */
  isCurrent(connection: string): boolean {
    return connection === this.#mine;
  }

  /** Starts a connection unless one exists. */
  call(): void {
    if (!this.#pc) this.#build(true);
  }

  /** Handles a signal after the earlier ones. */
  receive(signal: Signal): Promise<void> {
    return this.#inTurn(() => this.#handle(signal));
  }

  /** The device's tracks have changed. */
  updateTracks(): void {
    if (this.#pc) this.#attach(this.#pc);
    this.sendMarks();
  }

  sendMarks(): void {
    this.#control.send({ mediaState: this.#parts.mediaState() });
  }

  /** The ICE servers' credentials have been renewed. */
  configure(configuration: RTCConfiguration): void {
    this.#pc?.setConfiguration(configuration);
  }

  /** Pings the other page. The hub may have lost it while the media continue. */
  isAlive(): Promise<boolean> {
    return this.#control.isAlive();
  }

  sayBye(): void {
    this.#control.send({ bye: true });
  }

  close(): void {
    this.#closed = true;
    this.#control.cancelPing();
    this.#drop();
  }

  #build(initiator: boolean): RTCPeerConnection {
    this.#drop();
    const pc = this.#parts.connect();
    this.#pc = pc;
    this.#mine = this.#parts.newId();
    this.#initiator = initiator;
    this.#ignoring = false;
    const current = () => pc === this.#pc;
    pc.onnegotiationneeded = () => void this.#inTurn(() => (current() ? this.#offer(pc) : undefined));
    pc.onicecandidate = ({ candidate }) => {
      if (candidate && current()) this.#send({ candidate: candidate.toJSON() as NonNullable<Signal['candidate']> });
    };
    pc.ontrack = ({ streams: [stream] }) => {
      if (!stream || !current()) return;
      this.#brings = true;
      this.#show({ stream });
    };
    pc.onconnectionstatechange = () => {
      if (current()) this.#connectionChanged(pc);
    };
    this.#attach(pc);
    this.#control.openOn(pc);
    this.#armRebuild();
    return pc;
  }

  #drop(): void {
    for (const cancel of [this.#cancelReconnect, this.#cancelRebuild]) cancel?.();
    this.#freezes.stop();
    this.#brings = false;
    if (this.#theirs !== undefined) this.#retired.add(this.#theirs);
    this.#theirs = undefined;
    const pc = this.#pc;
    this.#pc = undefined;
    this.#control.drop();
    pc?.close();
  }

  /** Sends this device's tracks: a new track replaces the old one without negotiation, a first one is negotiated. */
  #attach(pc: RTCPeerConnection): void {
    const stream = this.#parts.stream();
    for (const kind of ['audio', 'video']) {
      const track = stream?.getTracks().find((one) => one.kind === kind) ?? null;
      const used = pc
        .getTransceivers()
        .find(({ sender, receiver, direction }) => receiver.track.kind === kind && (sender.track || sends(direction)));
      if (used) {
        if (used.sender.track !== track) void used.sender.replaceTrack(track);
      } else if (stream && track) pc.addTrack(track, stream);
    }
  }

  #send(signal: Omit<Outgoing, 'connection' | 'to'>): void {
    const to = this.#theirs === undefined ? {} : { to: this.#theirs };
    this.#parts.send({ connection: this.#mine, ...to, ...signal });
  }

  #inTurn(work: () => Promise<void> | undefined): Promise<void> {
    const done = this.#queue.then(async () => {
      if (!this.#closed) await work();
    });
    // The timers below recover from an error here; the next signal must not wait for it.
    this.#queue = done.catch(() => undefined);
    return done.catch(() => undefined);
  }

  async #offer(pc: RTCPeerConnection): Promise<void> {
    // Not stable: the browser fires negotiationneeded again once it is.
    if (pc.signalingState !== 'stable') return;
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
      await pc.setRemoteDescription(description);
    } else if (candidate && connection === this.#theirs) {
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
    const pc = this.#pc && !isNewConnection ? this.#pc : this.#build(false);
    const collision = pc.signalingState !== 'stable';
    this.#theirs = signal.connection;
    this.#ignoring = collision && !this.#parts.polite;
    if (this.#ignoring) return;
    if (collision) this.#initiator = false;
    // This rolls back the polite side's own offer.
    await pc.setRemoteDescription(description);
    await pc.setLocalDescription();
    this.#sendDescription(pc, signal.offer ?? 0);
  }

  #connectionChanged(pc: RTCPeerConnection): void {
    this.#cancelReconnect?.();
    switch (pc.connectionState) {
      case 'connected':
        this.#cancelRebuild?.();
        this.#cancelRebuild = undefined;
        this.#show({ link: 'live' });
        this.#freezes.start(pc);
        break;
      case 'disconnected':
        this.#cancelReconnect = this.#parts.clock.after(timing.reconnect, () => this.#troubled(pc, this.#initiator));
        break;
      case 'failed':
        this.#troubled(pc, true);
        break;
      default:
    }
  }

  #troubled(pc: RTCPeerConnection, restart: boolean): void {
    if (this.#view.link !== 'lost') this.#parts.onNotice('lost');
    this.#show({ link: 'lost' });
    if (restart) pc.restartIce();
    if (!this.#cancelRebuild) this.#armRebuild();
  }

  /** The initiator rebuilds; the other side waits twice as long before it rebuilds too. */
  #armRebuild(): void {
    this.#cancelRebuild?.();
    this.#cancelRebuild = this.#parts.clock.after(timing.rebuild * (this.#initiator ? 1 : 2), () => {
      if (this.#parts.canSignal()) this.#build(true);
      else this.#armRebuild();
    });
  }

  #frozen(): void {
    this.#parts.onNotice('frozen');
    this.#show({ link: 'lost' });
    this.#pc?.restartIce();
  }

  #show(part: Partial<PeerView>): void {
    this.#view = { ...this.#view, ...part };
    this.#parts.onChange();
  }
}

function sends(direction: RTCRtpTransceiverDirection): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}
