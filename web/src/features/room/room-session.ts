import {
  type DataMessage,
  type MessagingClient,
  messageType,
  type PresentPeer,
  type Sender,
  type SubscribeRefusal,
  subscribeRefusals,
} from '@roomside/contract/room/messages.ts';
import type { hub } from '../../hub/hub.ts';
import type { ChatLog } from './chat.ts';
import type { Clock } from './clock.ts';
import type { LocalMedia } from './local-media.ts';
import { type Outgoing, Peer } from './peer.ts';
import { type Marks, readHello, readSignal, readVideoWish, type Signal } from './signal.ts';
import { createStore, type Store } from './store.ts';

export type RoomHub = Pick<typeof hub, 'invoke' | 'onNotify' | 'onState' | 'getState' | 'start' | 'restart' | 'stop'>;

/**
 * entering: on the way in, also after the line was lost before the first time; in; moved: another tab of this person
 * has it; over: for this person, for the reason that the server gave.
 */
export type Phase = { name: 'entering' | 'in' | 'moved' } | { name: 'over'; why: SubscribeRefusal };

/** Somebody else in the room. `arriving`: has come, but cannot be called yet. */
export interface Person {
  peerId: string;
  name: string;
  isStaff: boolean;
  link: 'arriving' | 'connecting' | 'live' | 'lost';
  stream: MediaStream | undefined;
  marks: Marks;
}

export interface RoomView {
  phase: Phase;
  /** False while the hub is away; the media go on. */
  online: boolean;
  people: readonly Person[];
  /** STATE-10: waiting becomes active when somebody can be seen or heard. */
  hasFeed: boolean;
  /** Somebody has been here already. */
  hadCompany: boolean;
  /** When this person first came in, ms; null before. */
  joinedAt: number | null;
}

/** What happens in a room, to be put into words. */
export type Notice =
  | { type: 'joined' | 'left' | 'muted-by' | 'unmute-asked' | 'ended-by' | 'cancelled-by'; name: string }
  | { type: 'lost' | 'frozen' };

interface Parts {
  /** The visit, 32 hexadecimal digits. */
  uid: string;
  peerId: string;
  iAmPatient: boolean;
  hub: RoomHub;
  media: LocalMedia;
  chat: ChatLog;
  clock: Clock;
  random: () => number;
  newId: () => string;
  connect: () => RTCPeerConnection;
  say: (notice: Notice) => void;
}

interface Member {
  sender: Sender;
  /** The load of the other's page that `peer` belongs to. */
  instance?: string;
  peer?: Peer;
  /** The hub has lost this one. answers: the page itself still does; silent: it may be reloading. */
  hubLost: false | 'answers' | 'silent';
}

/** A server that fails is asked again after this, ms. */
const retryMs = 2_000;
/** Who vanished without a word may be back within this, ms. */
const returnMs = 5_000;
/** What is said in leaving has so long to get out, ms. */
const farewellMs = 1_000;

/**
 * One visit as this device lives it. Everybody who can be called says so (type 4, or type 2 without a camera); whoever
 * hears it and is ready calls. Leaving, reloading, losing the line and ending are four different things: a page that
 * leaves is told of by -1 and does not answer any more, one that reloads comes back under a new instance, one that lost
 * the hub still answers on its data channel, and only type 3 ends.
 */
export class RoomSession {
  readonly view: Store<RoomView> = createStore<RoomView>({
    phase: { name: 'entering' },
    online: false,
    people: [],
    hasFeed: false,
    hadCompany: false,
    joinedAt: null,
  });
  readonly #parts: Parts;
  readonly #members = new Map<string, Member>();
  /** Signals that wait for the hub, oldest first. */
  #outbox: { to: string; signal: Outgoing }[] = [];
  #instance: string;
  /** Counts entries; what belongs to an older one is dropped. */
  #turn = 0;
  #entered = false;
  /** Type 4, or its place-taker, has gone out since the last entry; and whether it was type 4. */
  #said: 'nothing' | 'hello' | 'video' = 'nothing';
  #wasDecided = false;
  #stops: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#instance = parts.newId();
  }

  start(): void {
    const { hub, media } = this.#parts;
    this.#stops = [
      hub.onState(() => this.#hubChanged()),
      hub.onNotify((...args) => this.#notified(...args)),
      media.view.subscribe(() => this.#mediaChanged()),
    ];
    hub.start();
    this.#hubChanged();
  }

  /** Leaves: the others are told at once. Everything is let go of. */
  async leave(): Promise<void> {
    const { hub, media, clock, uid } = this.#parts;
    const wasIn = this.#entered;
    this.#entered = false;
    for (const stop of this.#stops.splice(0)) stop();
    for (const { peer } of this.#members.values()) peer?.sayBye();
    media.stop();
    if (wasIn) {
      const told = hub.invoke('Unsubscribe', uid).catch(() => undefined);
      await Promise.race([told, new Promise<void>((resolve) => clock.after(farewellMs, resolve))]);
    }
    this.#letGo();
  }

  /**
   * Ends the visit for all patients; from a patient, says that he does not come back (decisions, 6).
   * Rejects while the hub is away.
   */
  async end(): Promise<void> {
    await this.#send({ type: messageType.callEnded });
  }

  /** Takes the visit back from the other tab. */
  useHere(): void {
    if (this.view.get().phase.name !== 'moved') return;
    this.#instance = this.#parts.newId();
    this.#set({ phase: { name: 'entering' } });
    this.#parts.hub.restart();
    this.#hubChanged();
  }

  /** New credentials for the relays. */
  configure(configuration: RTCConfiguration): void {
    for (const { peer } of this.#members.values()) peer?.configure(configuration);
  }

  #hubChanged(): void {
    const { status, replaced } = this.#parts.hub.getState();
    if (replaced) return this.#move();
    if (status === 'connected') {
      if (!this.#entered) void this.#enter();
      return;
    }
    this.#turn += 1;
    this.#entered = false;
    this.#parts.chat.setOnline(false);
    this.#set({ online: false });
  }

  async #enter(): Promise<void> {
    const { hub, uid, media, iAmPatient, chat, clock } = this.#parts;
    const { name } = this.view.get().phase;
    if (name === 'moved' || name === 'over') return;
    const mine = ++this.#turn;
    // STATE-12: a patient's camera starts with the hub, staff are in the room first.
    if (iAmPatient) void media.start();
    let others: PresentPeer[];
    try {
      others = await hub.invoke('Subscribe', uid);
    } catch (error) {
      if (mine === this.#turn) this.#refused(error as Error);
      return;
    }
    if (mine !== this.#turn) return;
    this.#entered = true;
    this.#said = 'nothing';
    for (const [peerId, member] of this.#members) {
      if (!others.some((other) => other.peerId === peerId)) void this.#perhapsLeft(peerId, member);
    }
    for (const other of others) this.#meet(other).hubLost = false;
    this.#set({ phase: { name: 'in' }, online: true, joinedAt: this.view.get().joinedAt ?? clock.now() });
    chat.setOnline(true);
    void media.start();
    this.#sayHello();
    this.#flush();
    this.#changed();
  }

  #refused(error: Error): void {
    const why = subscribeRefusals.find((code) => error.message.includes(code));
    if (why) return this.#over(why);
    // The next connection tries again; a server that failed is asked again.
    const mine = this.#turn;
    this.#parts.clock.after(retryMs, () => {
      if (mine === this.#turn && this.#parts.hub.getState().status === 'connected') void this.#enter();
    });
  }

  #notified(...[message, sender]: Parameters<MessagingClient['Notify']>): void {
    const { phase } = this.view.get();
    if (message.session !== this.#parts.uid || !this.#entered || phase.name !== 'in') return;
    switch (message.type) {
      case messageType.chat:
        return this.#parts.chat.receive(message);
      case messageType.peerData:
        return this.#heard(sender, message.payload);
      case messageType.participantArrived:
        return this.#greeted(sender, readHello(message.payload)?.hello ?? sender.peerId);
      case messageType.callEnded:
        return this.#ended(sender, message.payload);
      case messageType.remoteVideo: {
        const wish = readVideoWish(message.payload);
        if (wish) void this.#parts.media.resize(wish);
        return;
      }
      case messageType.remoteMute:
        return this.#muted(sender, message.payload);
      case messageType.userLeft: {
        const member = this.#members.get(sender.peerId);
        if (member) void this.#perhapsLeft(sender.peerId, member);
        return;
      }
      case messageType.movedToOtherTab:
        return this.#move();
      default:
    }
  }

  #heard(sender: Sender, payload: unknown): void {
    const hello = readHello(payload);
    if (hello) return this.#greeted(sender, hello.hello);
    const signal = readSignal(payload);
    if (!signal) return;
    const member = this.#meet(sender);
    if (member.instance !== signal.instance) {
      // Only an offer begins something; the rest belongs to a page that is gone.
      if (signal.description?.type !== 'offer') return;
      this.#renew(member, signal.instance);
    }
    member.hubLost = false;
    void this.#peerOf(member).receive(signal);
  }

  /** Somebody can be called. The newest page of a person replaces the one before. */
  #greeted(sender: Sender, instance: string): void {
    const member = this.#meet(sender);
    member.hubLost = false;
    if (member.instance !== instance) this.#renew(member, instance);
    if (this.#said !== 'nothing') this.#peerOf(member).call();
    this.#changed();
  }

  #renew(member: Member, instance: string): void {
    const isNew = member.instance === undefined;
    member.peer?.close();
    delete member.peer;
    member.instance = instance;
    if (isNew) this.#parts.say({ type: 'joined', name: nameOf(member.sender) });
  }

  #ended(sender: Sender, payload: unknown): void {
    const fromStaff = sender.roleId !== 'P';
    const name = nameOf(sender);
    const cancelled = fromStaff && (payload as { cancelled?: unknown } | undefined)?.cancelled === true;
    if (fromStaff && this.#parts.iAmPatient) {
      for (const { peer } of this.#members.values()) peer?.sayBye();
      this.#over(cancelled ? 'cancelled' : 'ended');
    } else if (fromStaff) this.#parts.say({ type: cancelled ? 'cancelled-by' : 'ended-by', name });
    else this.#gone(sender.peerId);
  }

  /** Type 6: staff may silence a microphone, but only its owner opens it. */
  #muted(sender: Sender, payload: unknown): void {
    const unmute = (payload as { muted?: unknown } | undefined)?.muted === false;
    if (!unmute) this.#parts.media.setMuted(true);
    this.#parts.say({ type: unmute ? 'unmute-asked' : 'muted-by', name: nameOf(sender) });
  }

  /** The hub has lost somebody: gone, unless the page itself still answers, or comes back in a moment. */
  async #perhapsLeft(peerId: string, member: Member): Promise<void> {
    const { peer } = member;
    if (!peer) return this.#gone(peerId);
    const alive = await peer.isAlive();
    // A reload in the meantime has another peer.
    if (member.peer !== peer) return;
    member.hubLost = alive ? 'answers' : 'silent';
    this.#changed();
    if (alive) return;
    this.#parts.clock.after(returnMs, () => {
      if (member.hubLost === 'silent' && this.#members.get(peerId) === member) this.#gone(peerId);
    });
  }

  #gone(peerId: string): void {
    const member = this.#members.get(peerId);
    if (!member) return;
    this.#members.delete(peerId);
    member.peer?.close();
    this.#parts.say({ type: 'left', name: nameOf(member.sender) });
    this.#changed();
  }

  /** A patient's sign-in ends with his visit: the hub would only be thrown out, and the page with its words too. */
  #over(why: SubscribeRefusal): void {
    this.#letGo();
    this.#set({ phase: { name: 'over', why } });
    if (this.#parts.iAmPatient && why !== 'early') void this.#parts.hub.stop();
  }

  #move(): void {
    this.#letGo();
    this.#set({ phase: { name: 'moved' } });
  }

  #letGo(): void {
    this.#turn += 1;
    this.#entered = false;
    this.#outbox = [];
    for (const { peer } of this.#members.values()) peer?.close();
    this.#members.clear();
    this.#parts.media.stop();
    this.#wasDecided = false;
    this.#parts.chat.setOnline(false);
    this.#set({ online: false, people: [], hasFeed: false });
  }

  #meet(sender: Sender): Member {
    const known = this.#members.get(sender.peerId);
    const member: Member = known ?? { sender, hubLost: false };
    member.sender = sender;
    if (!known) this.#members.set(sender.peerId, member);
    return member;
  }

  #peerOf(member: Member): Peer {
    const { media, clock, random, newId, connect, say } = this.#parts;
    const { peerId } = member.sender;
    const peer: Peer =
      member.peer ??
      new Peer({
        polite: this.#parts.peerId < peerId,
        clock,
        random,
        newId,
        connect,
        send: (signal) => this.#signal(peerId, signal),
        canSignal: () => this.#entered,
        stream: () => media.view.get().stream,
        marks: () => media.marks,
        onNotice: (type) => say({ type }),
        onChange: () => {
          if (member.hubLost === 'answers' && !peer.reachable) void this.#perhapsLeft(peerId, member);
          else this.#changed();
        },
        onBye: () => {
          if (this.#members.get(peerId) === member) this.#gone(peerId);
        },
      });
    member.peer = peer;
    return peer;
  }

  #mediaChanged(): void {
    const { media } = this.#parts;
    for (const { peer } of this.#members.values()) peer?.updateTracks();
    const isNews = media.decided && (!this.#wasDecided || (media.hasPicture && this.#said !== 'video'));
    this.#wasDecided = media.decided;
    if (isNews) this.#sayHello();
  }

  /** 'I can be called': type 4 once local video runs; a device without a camera tells each of the others (type 2). */
  #sayHello(): void {
    const { media } = this.#parts;
    if (!this.#entered || !media.decided) return;
    const payload = { hello: this.#instance };
    if (media.hasPicture) {
      if (this.#said === 'video') return;
      this.#said = 'video';
      void this.#send({ type: messageType.participantArrived, payload }).catch(() => undefined);
    } else if (this.#said === 'nothing') {
      this.#said = 'hello';
      for (const to of this.#members.keys()) {
        void this.#send({ type: messageType.peerData, to, payload }).catch(() => undefined);
      }
    }
  }

  #signal(to: string, signal: Outgoing): void {
    if (!this.#entered) {
      this.#outbox.push({ to, signal });
      return;
    }
    const payload: Signal = { ...signal, instance: this.#instance };
    this.#send({ type: messageType.peerData, to, payload }).catch(() => this.#outbox.push({ to, signal }));
  }

  /** Sends what waited, but for what belongs to connections that have been replaced. */
  #flush(): void {
    for (const { to, signal } of this.#outbox.splice(0)) {
      if (this.#members.get(to)?.peer?.isCurrent(signal.connection)) this.#signal(to, signal);
    }
  }

  async #send(message: Omit<DataMessage, 'session'>): Promise<void> {
    if (!this.#entered) throw new Error('The hub is away.');
    await this.#parts.hub.invoke('SendData', { ...message, session: this.#parts.uid });
  }

  #changed(): void {
    const people = [...this.#members.values()].map(({ sender, peer, hubLost }): Person => {
      const view = peer?.view;
      return {
        peerId: sender.peerId,
        name: nameOf(sender),
        isStaff: sender.roleId !== 'P',
        link: hubLost === 'silent' ? 'lost' : (view?.link ?? 'arriving'),
        stream: view?.stream,
        marks: view?.marks ?? { sound: true, picture: true },
      };
    });
    const hasFeed = people.some(isFeed);
    this.#set({ people, hasFeed, hadCompany: hasFeed || this.view.get().hadCompany });
  }

  #set(part: Partial<RoomView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}

/** Somebody who can be seen or heard, or could be a moment ago. */
export function isFeed({ link, stream }: Person): boolean {
  return stream !== undefined || link === 'live';
}

function nameOf({ firstName, lastName }: Sender): string {
  return `${firstName} ${lastName}`.trim();
}
