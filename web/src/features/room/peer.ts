import type { Clock } from './clock.ts';
import { ControlChannel } from './control-channel.ts';
import { FreezeWatch } from './freeze-watch.ts';
import type { MediaState, Signal } from './signal.ts';

/** What a peer says to this one, without the names that this file adds. */
export type Outgoing = Omit<Signal, 'instance'>;

export interface PeerParts {
  /** Gives way when both offer at once; exactly one of two peers is polite. */
  polite: boolean;
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  newId: () => string;
  /** A connection with the present ICE servers. */
  connect: () => RTCPeerConnection;
  send: (signal: Outgoing) => void;
  /** False while the hub is away: a new connection could not be agreed on. */
  canSignal: () => boolean;
  stream: () => MediaStream | undefined;
  mediaState: () => MediaState;
  onChange: () => void;
  onNotice: (notice: 'lost' | 'frozen') => void;
  /** The other one has left on purpose. */
  onBye: () => void;
}

export interface PeerView {
  stream: MediaStream | undefined;
  link: 'connecting' | 'live' | 'lost';
  mediaState: MediaState;
}

/** STATE-22, CONST-5, ms. */
const timing = {
  /** How long 'disconnected' may last before the initiator starts ICE again. */
  reconnect: 1_000,
  /** Without recovery for so long, a new RTCPeerConnection is made. */
  rebuild: 15_000,
} as const;

/**
 * The line to one other device: W3C 'perfect negotiation' on the native RTCPeerConnection, and what brings it back when
 * it breaks. One of the two calls; a new RTCPeerConnection of either side makes the other one follow.
 */
export class Peer {
  readonly #parts: PeerParts;
  #pc: RTCPeerConnection | undefined;
  readonly #control: ControlChannel;
  readonly #freezes: FreezeWatch;
  /** Names of this side's connection and of the other's that belongs to it. */
  #mine = '';
  #theirs: string | undefined;
  readonly #retired = new Set<string>();
  #offers = 0;
  /** This side began the present connection: it is the one that repairs it. */
  #initiator = false;
  #ignoring = false;
  /** Signals and offers are dealt with strictly one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  #view: PeerView = { stream: undefined, link: 'connecting', mediaState: { sound: true, picture: true } };
  /**
   * The present connection has tracks. The view keeps the picture of the one before, so that nobody vanishes meanwhile.
   */
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
      // Starting ICE again did not help.
      onStillFrozen: () => void (parts.canSignal() && this.#build(true)),
      onThawed: () => this.#show({ link: 'live' }),
    });
  }

  get view(): PeerView {
    return this.#view;
  }

  /** True while the other page itself can be reached, with or without the hub. */
  get reachable(): boolean {
    return this.#control.isOpen;
  }

  /** Whether what was to be sent by this connection is still worth sending. */
  isCurrent(connection: string): boolean {
    return connection === this.#mine;
  }

  /** Begins, unless a connection exists already. */
  call(): void {
    if (!this.#pc) this.#build(true);
  }

  /** Deals with a signal of the other side after those that came before it. */
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

  /** Asks the other page itself whether it still lives; the hub may have lost it while the media go on. */
  isAlive(): Promise<boolean> {
    return this.#control.isAlive();
  }

  sayBye(): void {
    this.#control.send({ bye: true });
  }

  close(): void {
    this.#closed = true;
    this.#control.giveUpAsking();
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

  /** Sends what this device has: a new track replaces the old one without a word, a first one is negotiated. */
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
    // What fails here is mended by the timers below; the next signal must not wait for it.
    this.#queue = done.catch(() => undefined);
    return done.catch(() => undefined);
  }

  async #offer(pc: RTCPeerConnection): Promise<void> {
    // Not stable: the browser asks again once it is.
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
    // Before it has heard of this side's connection the caller cannot name it.
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
    // Another connection than the one this side is tied to: the other side began anew.
    const anew = this.#theirs !== undefined && this.#theirs !== signal.connection;
    if (signal.to !== undefined && signal.to !== this.#mine) return;
    const pc = this.#pc && !anew ? this.#pc : this.#build(false);
    const collision = pc.signalingState !== 'stable';
    this.#theirs = signal.connection;
    this.#ignoring = collision && !this.#parts.polite;
    if (this.#ignoring) return;
    if (collision) this.#initiator = false;
    // The polite side's own offer is rolled back by this.
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

  /** The initiator begins anew; the other side gives it twice the time and then does so itself. */
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
