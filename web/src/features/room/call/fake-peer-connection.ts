/** Test doubles for parts of the browser: peer connections that find each other by their descriptions, and devices. */

interface FakeDescription {
  type: 'offer' | 'answer';
  sdp: string;
}

class FakeChannel {
  readyState: RTCDataChannelState = 'connecting';
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  readonly #owner: FakePeerConnection;
  readonly #id: number;

  constructor(owner: FakePeerConnection, id: number) {
    this.#owner = owner;
    this.#id = id;
  }

  open(): void {
    if (this.readyState !== 'connecting') return;
    this.readyState = 'open';
    this.onopen?.();
  }

  send(data: string): void {
    const other = this.#owner.partner;
    if (this.#owner.cut || other?.asleep) return;
    queueMicrotask(() => other?.channels.get(this.#id)?.onmessage?.({ data }));
  }

  close(): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    this.onclose?.();
  }
}

/** A track of a device. */
export function fakeTrack(kind: 'audio' | 'video') {
  const target = new EventTarget();
  return Object.assign(target, {
    kind,
    enabled: true,
    readyState: 'live',
    muted: false,
    contentHint: '',
    stop() {
      this.readyState = 'ended';
    },
    applyConstraints: async () => undefined,
    getSettings: () => ({}),
  });
}

type FakeTrack = ReturnType<typeof fakeTrack>;

/** What the browser does to a track when its device is unplugged. */
export function unplug(track: MediaStreamTrack | undefined): void {
  Object.assign(track ?? {}, { readyState: 'ended' });
  track?.dispatchEvent(new Event('ended'));
}

export function fakeStream(...tracks: FakeTrack[]): MediaStream {
  const held = new Set(tracks);
  const of = (kind: string) => [...held].filter((track) => track.kind === kind);
  const stream = {
    getTracks: () => [...held],
    getAudioTracks: () => of('audio'),
    getVideoTracks: () => of('video'),
    addTrack: (track: FakeTrack) => held.add(track),
    removeTrack: (track: FakeTrack) => held.delete(track),
  };
  return stream as unknown as MediaStream;
}

/** Media devices whose getUserMedia returns `answer(...)`; it throws to refuse. */
export function fakeDevices(answer: (wish: MediaStreamConstraints) => MediaStream = camera) {
  return { getUserMedia: async (wish?: MediaStreamConstraints) => answer(wish ?? {}) };
}

export function camera({ video, audio }: MediaStreamConstraints): MediaStream {
  return fakeStream(...(audio ? [fakeTrack('audio')] : []), ...(video ? [fakeTrack('video')] : []));
}

/** An error with the name that the browser uses. */
export function refusal(name: string): DOMException {
  return new DOMException('', name);
}

class FakeSender {
  readonly kind: 'audio' | 'video';
  track: FakeTrack | null;
  parameters = { encodings: [{}] as Record<string, unknown>[] };
  /** The media types by preference. */
  codecs: string[] = [];

  constructor(track: FakeTrack) {
    this.track = track;
    this.kind = track.kind;
  }

  async replaceTrack(next: FakeTrack | null): Promise<void> {
    this.track = next;
  }

  getParameters() {
    return structuredClone(this.parameters);
  }

  async setParameters(parameters: typeof this.parameters): Promise<void> {
    this.parameters = parameters;
  }
}

/** What RTCRtpReceiver.getCapabilities returns: a browser that has RED. */
export const fakeReceiver = {
  getCapabilities: () => ({ codecs: [{ mimeType: 'audio/opus' }, { mimeType: 'audio/red' }] }),
};

/** One end. Two ends are connected when each has the other's current description. */
export class FakePeerConnection {
  static all: FakePeerConnection[] = [];
  readonly id = String(FakePeerConnection.all.push(this));
  signalingState: RTCSignalingState = 'stable';
  connectionState: RTCPeerConnectionState = 'new';
  localDescription: FakeDescription | null = null;
  remoteDescription: FakeDescription | null = null;
  partner: FakePeerConnection | undefined;
  readonly channels = new Map<number, FakeChannel>();
  onnegotiationneeded: (() => void) | null = null;
  onicecandidate: ((event: { candidate: unknown }) => void) | null = null;
  ontrack: ((event: { streams: MediaStream[] }) => void) | null = null;
  onconnectionstatechange: (() => void) | null = null;
  /** Connected, but nothing is received. */
  silent = false;
  /** Part of what is sent to this end that is lost, 0 to 1. */
  loss = 0;
  /** Nothing is sent any more. */
  cut = false;
  /** The page of this end is suspended. */
  asleep = false;
  configuration: RTCConfiguration = {};
  restarts = 0;
  offers = 0;
  readonly errors: string[] = [];
  readonly candidates: unknown[] = [];
  readonly #senders: FakeSender[] = [];
  #stream: MediaStream | undefined;
  #needed = false;
  #bytes = 0;
  #playedAt = 0;
  readonly #receiver = { getSynchronizationSources: () => [{ timestamp: this.#playedAt }] };
  #lost = 0;

  getTransceivers() {
    return this.#senders.map((sender) => ({
      sender,
      receiver: { track: { kind: sender.kind } },
      direction: 'sendrecv',
      setCodecPreferences: (codecs: { mimeType: string }[]) => {
        sender.codecs = codecs.map(({ mimeType }) => mimeType);
      },
    }));
  }

  /** One, which has played a packet of the other end at each look. */
  getReceivers() {
    if (this.partner && !this.silent && !this.cut) this.#playedAt += 1;
    return [this.#receiver];
  }

  getSenders(): readonly FakeSender[] {
    return this.#senders;
  }

  addTrack(track: FakeTrack, stream: MediaStream): void {
    this.#stream = stream;
    this.#senders.push(new FakeSender(track));
    this.#need();
  }

  createDataChannel(_label: string, { id }: { id: number }): FakeChannel {
    const channel = new FakeChannel(this, id);
    this.channels.set(id, channel);
    this.#need();
    return channel;
  }

  async setLocalDescription(): Promise<void> {
    const type = this.signalingState === 'have-remote-offer' ? 'answer' : 'offer';
    if (type === 'offer') this.offers += 1;
    this.localDescription = { type, sdp: `${this.id}:${this.offers}` };
    this.#needed = false;
    this.#become(type === 'answer' ? 'stable' : 'have-local-offer');
    queueMicrotask(() => this.onicecandidate?.({ candidate: { toJSON: () => ({ candidate: `of ${this.id}` }) } }));
  }

  async setRemoteDescription(description: FakeDescription): Promise<void> {
    const fits = description.type === 'offer' || this.signalingState === 'have-local-offer';
    if (!fits || this.signalingState === 'closed') {
      this.errors.push(`${description.type} in ${this.signalingState}`);
      throw refusal('InvalidStateError');
    }
    this.remoteDescription = description;
    this.#become(description.type === 'offer' ? 'have-remote-offer' : 'stable');
  }

  async addIceCandidate(candidate: unknown): Promise<void> {
    if (!this.remoteDescription) {
      this.errors.push('candidate without description');
      throw refusal('InvalidStateError');
    }
    this.candidates.push(candidate);
  }

  async getStats() {
    if (!this.silent) this.#bytes += 1000;
    this.#lost += this.loss * 10;
    const packetsReceived = this.#bytes / 100;
    return new Map([
      ['in', { type: 'inbound-rtp', bytesReceived: this.#bytes, packetsReceived, packetsLost: this.#lost }],
    ]);
  }

  restartIce(): void {
    this.restarts += 1;
    this.#need();
  }

  getConfiguration(): RTCConfiguration {
    return this.configuration;
  }

  setConfiguration(configuration: RTCConfiguration): void {
    this.configuration = configuration;
  }

  close(): void {
    const { partner } = this;
    this.signalingState = 'closed';
    this.connectionState = 'closed';
    this.partner = undefined;
    if (partner?.partner !== this || partner.cut) return;
    for (const channel of partner.channels.values()) channel.close();
  }

  /** Simulates a change of the network for this end. */
  turn(state: RTCPeerConnectionState): void {
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }

  #need(): void {
    this.#needed = true;
    queueMicrotask(() => {
      if (this.#needed && this.signalingState === 'stable') this.onnegotiationneeded?.();
    });
  }

  #become(state: RTCSignalingState): void {
    this.signalingState = state;
    if (state !== 'stable') return;
    this.#connect();
    if (this.#needed) this.#need();
  }

  #connect(): void {
    const other = FakePeerConnection.all[Number(this.remoteDescription?.sdp.split(':')[0]) - 1];
    if (!other || other.signalingState !== 'stable' || other.remoteDescription?.sdp.split(':')[0] !== this.id) return;
    for (const [end, far] of [
      [this, other],
      [other, this],
    ] as const) {
      end.partner = far;
      if (far.#stream) end.ontrack?.({ streams: [far.#stream] });
      if (end.connectionState !== 'connected') end.turn('connected');
    }
    for (const end of [this, other]) for (const channel of end.channels.values()) channel.open();
  }
}
