import type { Clock } from '../core/clock.ts';
import type { PeerChannel } from '../core/peer-channel.ts';
import type { MediaState } from '../media/media-state.ts';
import { ControlChannel } from './control-channel.ts';
import { FreezeWatch } from './freeze-watch.ts';
import { Negotiation, type Outgoing } from './negotiation.ts';
import { preferRedundantAudio, stopSending } from './outgoing-media.ts';
import { PeerQuality } from './peer-quality.ts';
import type { Figures, Quality } from './quality.ts';
import { Recovery, type Rung } from './recovery.ts';
import type { Signal } from './signal.ts';
import { SilenceWatch } from './silence-watch.ts';
import { VerificationChannel, type Words } from './verification-channel.ts';

export interface PeerParts {
  /** Yields when both offer at the same time; exactly one of two peers is polite. */
  polite: boolean;
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  newId: () => string;
  /** Creates a connection with the current ICE servers, or one that uses the TURN servers only. */
  connect: (relayOnly: boolean) => RTCPeerConnection;
  /** Renews the TURN credentials. Resolves also when that failed or takes long. */
  refresh: () => Promise<void>;
  /** There is a TURN server. */
  hasRelay: () => boolean;
  send: (signal: Outgoing) => void;
  /** False while the hub is disconnected: a new connection could not be negotiated. */
  canSignal: () => boolean;
  checkSignal: () => void;
  stream: () => MediaStream | undefined;
  mediaState: () => MediaState;
  /** Further data channels with this peer. */
  channels: readonly PeerChannel[];
  onChange: () => void;
  /** Nothing arrives for a moment. */
  onSilent: () => void;
  onNotice: (notice: 'lost' | 'frozen' | 'poor' | 'better' | 'unverified') => void;
  /** For the summary of the visit: how media arrive, and each attempt to recover the connection. */
  onSample: (quality: Quality, figures: Figures) => void;
  onAttempt: () => void;
  /** The other peer has left on purpose. */
  onBye: () => void;
}

export interface PeerView {
  stream: MediaStream | undefined;
  link: 'connecting' | 'live' | 'lost';
  mediaState: MediaState;
  /** How the media arrive on the worse side; undefined until it was measured. */
  quality: Quality | undefined;
  /** The same on both sides when no one stands between them; undefined until both have exchanged their nonces. */
  words: Words | undefined;
}

/**
 * The connection to one other device. One of the two calls; when either side creates a new RTCPeerConnection, the other follows.
 * `Recovery` decides when it is restarted or replaced.
 */
export class Peer {
  readonly #parts: PeerParts;
  #pc: RTCPeerConnection | undefined;
  readonly #negotiation: Negotiation;
  readonly #control: ControlChannel;
  readonly #freezes: FreezeWatch;
  readonly #silence: SilenceWatch;
  readonly #recovery: Recovery;
  readonly #quality: PeerQuality;
  /** All data channels. */
  readonly #channels: readonly PeerChannel[];
  /** This side started the current connection and repairs it. */
  #initiator = false;
  #view: PeerView = {
    stream: undefined,
    link: 'connecting',
    mediaState: { sound: true, picture: true },
    quality: undefined,
    words: undefined,
  };
  /** The current connection has tracks. Until then the view keeps the video of the previous one. */
  #hasTracks = false;
  #isClosed = false;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    this.#negotiation = new Negotiation({
      polite: parts.polite,
      send: parts.send,
      follow: () => this.#build(false),
      onYield: () => {
        this.#initiator = false;
      },
      mustReplace: () => this.#recovery.isBroken && parts.canSignal(),
      replace: () => this.#recovery.replace(),
      onRolledBack: async (pc) => {
        await stopSending(pc);
        if (pc === this.#pc) this.updateTracks();
      },
      prepare: preferRedundantAudio,
      onProgress: () => this.#recovery.progressed(),
    });
    this.#recovery = new Recovery({
      clock: parts.clock,
      random: parts.random,
      leads: () => this.#initiator,
      canSignal: parts.canSignal,
      checkSignal: parts.checkSignal,
      hasRelay: parts.hasRelay,
      refresh: parts.refresh,
      attempt: (rung) => this.#attempt(rung),
      onLost: (why) => this.#lost(why),
      onLive: () => this.#show({ link: 'live' }),
    });
    this.#control = new ControlChannel({
      clock: parts.clock,
      onOpen: () => {
        this.sendMediaState();
        this.#quality.repeat();
      },
      onMediaState: (mediaState) => {
        this.#quality.pauseVideo(mediaState.wantsPicture === false);
        this.#show({ mediaState });
      },
      onQuality: (quality) => this.#quality.receiveReport(quality),
      onBye: parts.onBye,
      onClose: parts.onChange,
    });
    const verification = new VerificationChannel({
      commits: parts.polite,
      onWords: (words) => this.#show({ words }),
      onFailed: () => this.#unverified(),
    });
    this.#channels = [this.#control, verification, ...parts.channels];
    this.#freezes = new FreezeWatch({
      clock: parts.clock,
      random: parts.random,
      expects: () => this.#expectsMedia(),
      onFrozen: () => this.#recovery.frozen(),
      onStillFrozen: () => this.#recovery.stillFrozen(),
      onThawed: () => this.#recovery.thawed(),
    });
    this.#silence = new SilenceWatch({ clock: parts.clock, onSilent: parts.onSilent });
    this.#quality = new PeerQuality({
      clock: parts.clock,
      expects: () => this.#expectsMedia(),
      report: (quality) => this.#control.send({ quality }),
      onSample: parts.onSample,
      onChange: (quality) => this.#rated(quality),
    });
  }

  get view(): PeerView {
    return this.#view;
  }

  /** True while the other page can be reached, with or without the hub. */
  get reachable(): boolean {
    return this.#control.isOpen;
  }

  /** Whether sound or video arrives; undefined before the first packet. */
  get isHeard(): boolean | undefined {
    return this.#silence.isHeard;
  }

  /** The connection is lost and is being repaired. */
  get isInterrupted(): boolean {
    return this.#view.link === 'lost' && !this.#isClosed;
  }

  /** Whether what is queued for this connection should still be sent. */
  isCurrent(connection: string): boolean {
    return connection === this.#negotiation.connection;
  }

  /** Starts a connection unless one exists. */
  call(): void {
    if (!this.#pc && !this.#isClosed) this.#build(true);
  }

  /** Handles a signal after the earlier ones. */
  receive(signal: Signal): Promise<void> {
    return this.#negotiation.receive(signal);
  }

  /** The device's tracks have changed. */
  updateTracks(): void {
    if (this.#pc) this.#attach(this.#pc);
    this.#quality.applyLimits();
    this.sendMediaState();
  }

  sendMediaState(): void {
    this.#control.send({ mediaState: this.#parts.mediaState() });
  }

  /** The ICE servers' credentials have been renewed; later candidates use them. */
  configure(iceServers: RTCIceServer[]): void {
    const pc = this.#pc;
    pc?.setConfiguration({ ...pc.getConfiguration(), iceServers });
  }

  /** The hub, this page or the other one is back: a lost connection is tried again immediately. */
  retryNow(): void {
    this.#recovery.retryNow();
  }

  /** This device has another network. */
  networkChanged(): void {
    this.#recovery.networkChanged();
  }

  /** Pings the other page. The hub may have lost it while the media continue. */
  isAlive(): Promise<boolean> {
    return this.#control.isAlive();
  }

  sendBye(): void {
    this.#control.send({ bye: true });
  }

  /** Ends the connection for good: calls and signals have no effect any more. */
  close(): void {
    this.#isClosed = true;
    this.#recovery.end();
    this.#control.cancelPing();
    this.#drop();
    this.#negotiation.close();
    this.#view = { ...this.#view, link: 'lost', stream: undefined };
  }

  #attempt(rung: Rung): void {
    this.#parts.onAttempt();
    if (rung === 'restart') this.#pc?.restartIce();
    else this.#build(true, rung === 'relay');
  }

  #build(initiator: boolean, relayOnly = false): RTCPeerConnection {
    this.#drop();
    const pc = this.#parts.connect(relayOnly);
    this.#pc = pc;
    this.#view = { ...this.#view, words: undefined };
    this.#initiator = initiator;
    this.#negotiation.begin(pc, this.#parts.newId());
    const current = () => pc === this.#pc;
    pc.ontrack = ({ streams: [stream] }) => {
      if (!stream || !current()) return;
      this.#hasTracks = true;
      this.#show({ stream });
    };
    pc.onconnectionstatechange = () => {
      if (current()) this.#connectionChanged(pc);
    };
    this.#attach(pc);
    for (const channel of this.#channels) channel.openOn(pc);
    this.#recovery.begin();
    return pc;
  }

  #drop(): void {
    this.#freezes.stop();
    this.#silence.stop();
    this.#quality.stop();
    this.#hasTracks = false;
    this.#negotiation.drop();
    const pc = this.#pc;
    this.#pc = undefined;
    for (const channel of this.#channels) channel.drop();
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
    switch (pc.connectionState) {
      case 'connected':
        this.#freezes.start(pc);
        this.#silence.start(pc);
        this.#quality.start(pc);
        return this.#recovery.connected();
      case 'disconnected':
        return this.#recovery.disconnected();
      case 'failed':
        return this.#recovery.failed();
      default:
    }
  }

  /** The connection may be read by a third party: it ends, and is not built again before a page is loaded again. */
  #unverified(): void {
    this.close();
    this.#parts.onNotice('unverified');
    this.#parts.onChange();
  }

  #rated(quality: Quality): void {
    const before = this.#view.quality;
    this.#show({ quality });
    if (quality === 'poor' && before !== 'poor') this.#parts.onNotice('poor');
    else if (quality !== 'poor' && before === 'poor') this.#parts.onNotice('better');
  }

  /** Whether data must arrive. A peer without sound and picture sends none, and a hidden page may be suspended. */
  #expectsMedia(): boolean {
    const { sound, picture, hidden } = this.#view.mediaState;
    const wantsPicture = this.#parts.mediaState().wantsPicture !== false;
    return this.#hasTracks && (sound || (picture && wantsPicture)) && hidden !== true;
  }

  #lost(why: 'lost' | 'frozen'): void {
    this.#parts.onNotice(why);
    this.#show({ link: 'lost' });
  }

  #show(part: Partial<PeerView>): void {
    this.#view = { ...this.#view, ...part };
    this.#parts.onChange();
  }
}

function sends(direction: RTCRtpTransceiverDirection): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}
