import type { Clock } from '../core/clock.ts';
import type { PeerChannel } from '../core/peer-channel.ts';
import type { MediaState } from '../media/media-state.ts';
import { ControlChannel } from './control-channel.ts';
import { FreezeWatch } from './freeze-watch.ts';
import { Negotiation, type Outgoing } from './negotiation.ts';
import type { Signal } from './signal.ts';

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
  /** Further data channels with this peer. */
  channels: readonly PeerChannel[];
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
 * The connection to one other device and its recovery. One of the two calls; when either side creates a new RTCPeerConnection, the
 * other follows.
 */
export class Peer {
  readonly #parts: PeerParts;
  #pc: RTCPeerConnection | undefined;
  readonly #negotiation: Negotiation;
  readonly #control: ControlChannel;
  readonly #freezes: FreezeWatch;
  /** This side started the current connection and repairs it. */
  #initiator = false;
  #view: PeerView = { stream: undefined, link: 'connecting', mediaState: { sound: true, picture: true } };
  /** The current connection has tracks. Until then the view keeps the video of the previous one. */
  #brings = false;
  #cancelReconnect: (() => void) | undefined;
  #cancelRebuild: (() => void) | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    this.#negotiation = new Negotiation({
      polite: parts.polite,
      send: parts.send,
      follow: () => this.#build(false),
      onYield: () => {
        this.#initiator = false;
      },
    });
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
    return connection === this.#negotiation.connection;
  }

  /** Starts a connection unless one exists. */
  call(): void {
    if (!this.#pc) this.#build(true);
  }

  /** Handles a signal after the earlier ones. */
  receive(signal: Signal): Promise<void> {
    return this.#negotiation.receive(signal);
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
    this.#control.cancelPing();
    this.#drop();
    this.#negotiation.close();
  }

  #build(initiator: boolean): RTCPeerConnection {
    this.#drop();
    const pc = this.#parts.connect();
    this.#pc = pc;
    this.#initiator = initiator;
    this.#negotiation.begin(pc, this.#parts.newId());
    const current = () => pc === this.#pc;
    pc.ontrack = ({ streams: [stream] }) => {
      if (!stream || !current()) return;
      this.#brings = true;
      this.#show({ stream });
    };
    pc.onconnectionstatechange = () => {
      if (current()) this.#connectionChanged(pc);
    };
    this.#attach(pc);
    for (const channel of [this.#control, ...this.#parts.channels]) channel.openOn(pc);
    this.#armRebuild();
    return pc;
  }

  #drop(): void {
    for (const cancel of [this.#cancelReconnect, this.#cancelRebuild]) cancel?.();
    this.#freezes.stop();
    this.#brings = false;
    this.#negotiation.drop();
    const pc = this.#pc;
    this.#pc = undefined;
    for (const channel of [this.#control, ...this.#parts.channels]) channel.drop();
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
