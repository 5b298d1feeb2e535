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
import { retryMs } from './clock.ts';
import type { Outgoing } from './peer.ts';
import { ReadyAnnouncer } from './ready-announcer.ts';
import { refusalOf } from './refusal-of.ts';
import { type MemberParts, RemotePeers } from './remote-peers.ts';
import { isFeed, type Notice, nameOf, type RoomView } from './room-view.ts';
import { readHello, readSignal, readVideoWish, type Signal } from './signal.ts';
import { createStore, type Store } from './store.ts';

export type RoomHub = Pick<typeof hub, 'invoke' | 'onNotify' | 'onState' | 'getState' | 'start' | 'restart' | 'stop'>;

interface Parts extends MemberParts {
  /** The visit, 32 hexadecimal digits. */
  uid: string;
  isPatient: boolean;
  hub: RoomHub;
  chat: ChatLog;
  /** The sign-in may have ended: the visit is read again to find out. */
  onCut: () => void;
}

/** Timeout for what is sent on leaving, ms. */
const leaveTimeoutMs = 2_000;

/**
 * One visit on this device. A device that can be called announces it (type 4, or type 2 without a camera); a peer that
 * receives this and is ready calls. Leaving, reloading, losing the connection and ending differ: a page that leaves is
 * reported by -1 and no longer responds, a reloaded one returns with a new instance, one that lost the hub still responds
 * on its data channel, and only type 3 ends the visit.
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
  readonly #members: RemotePeers;
  readonly #announcer: ReadyAnnouncer;
  /** Signals that are queued until the hub is connected, oldest first. */
  #outbox: { to: string; signal: Outgoing }[] = [];
  #instance: string;
  /** Counts entries; results that belong to an earlier one are dropped. */
  #turn = 0;
  #entered = false;
  /** Subscribe was sent on the current connection and has no result yet. */
  #isSubscribing = false;
  /** This device has ended the visit. */
  #isEnding = false;
  #stops: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#instance = parts.newId();
    const onNotice = (notice: Notice) => {
      if (!(this.#isEnding && notice.type === 'left')) parts.onNotice(notice);
    };
    this.#members = new RemotePeers(
      { ...parts, onNotice },
      {
        signal: (to, signal) => this.#signal(to, signal),
        canSignal: () => this.#entered,
        onChange: () => this.#changed(),
      },
    );
    this.#announcer = new ReadyAnnouncer({
      media: parts.media,
      clock: parts.clock,
      instance: () => this.#instance,
      others: () => this.#members.ids,
      canAnnounce: () => this.#entered,
      send: (message) => this.#send(message),
    });
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

  /** Leaves the room, notifies the others and releases everything. Resolves with the number of unsent messages. */
  async leave(): Promise<number> {
    const { hub, media, chat, clock, uid } = this.#parts;
    // The server handles one call after another, so an entry in progress is followed by the exit.
    const isKnown = this.#entered || this.#isSubscribing;
    const written = this.#entered ? chat.sendRest() : undefined;
    this.#goOut();
    for (const stop of this.#stops.splice(0)) stop();
    this.#members.sayBye();
    media.stop();
    if (isKnown) {
      const unsubscribed = hub.invoke('Unsubscribe', uid).catch(() => undefined);
      await Promise.race([
        Promise.all([written, unsubscribed]),
        new Promise<void>((resolve) => clock.after(leaveTimeoutMs, resolve)),
      ]);
    }
    this.#letGo();
    return chat.waiting;
  }

  /**
   * Ends the visit for all patients. From a patient it means that they will not return. Rejects while the hub is
   * disconnected.
   */
  async end(): Promise<void> {
    // After it the server accepts no messages from a patient.
    void this.#parts.chat.sendRest();
    // The others leave because of this, so no notice is shown.
    this.#isEnding = true;
    await this.#send({ type: messageType.callEnded }).catch((error: unknown) => {
      this.#isEnding = false;
      throw error;
    });
  }

  /** Takes the visit over from the other tab. */
  useHere(): void {
    if (this.view.get().phase.name !== 'moved') return;
    this.#instance = this.#parts.newId();
    this.#set({ phase: { name: 'entering' } });
    this.#parts.hub.restart();
    this.#hubChanged();
  }

  /** Sets new TURN credentials. */
  configure(configuration: RTCConfiguration): void {
    this.#members.configure(configuration);
  }

  #hubChanged(): void {
    const { status } = this.#parts.hub.getState();
    if (status === 'connected') {
      if (!this.#entered) void this.#enter();
      return;
    }
    this.#goOut();
    this.#parts.chat.setOnline(false);
    this.#set({ online: false });
  }

  /** Drops what arrives for the last entry or one in progress. */
  #goOut(): void {
    this.#turn += 1;
    this.#entered = false;
    this.#isSubscribing = false;
  }

  async #enter(): Promise<void> {
    const { hub, uid, media, isPatient, chat, clock } = this.#parts;
    const { name } = this.view.get().phase;
    if (name === 'moved' || name === 'over') return;
    const mine = ++this.#turn;
    // STATE-12: a patient's camera starts with the hub, staff are in the room first.
    if (isPatient) void media.start();
    let others: PresentPeer[];
    this.#isSubscribing = true;
    try {
      others = await hub.invoke('Subscribe', uid);
    } catch (error) {
      if (mine !== this.#turn) return;
      this.#isSubscribing = false;
      return this.#refused(refusalOf(error));
    }
    if (mine !== this.#turn) return;
    this.#isSubscribing = false;
    this.#entered = true;
    this.#announcer.reset();
    this.#members.found(others);
    this.#set({ phase: { name: 'in' }, online: true, joinedAt: this.view.get().joinedAt ?? clock.now() });
    chat.setOnline(true);
    void media.start();
    this.#announcer.announce();
    this.#flush();
    this.#changed();
  }

  #refused(code: string | undefined): void {
    const why = subscribeRefusals.find((one) => one === code);
    if (why) return this.#over(why);
    // This says nothing about the visit: a user who is still signed in enters with the next connection.
    if (code === 'sign-in-ended') this.#parts.onCut();
    // The next connection tries again; a server error is retried.
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
      case messageType.userLeft:
        return this.#members.lost(sender.peerId);
      case messageType.movedToOtherTab:
        return this.#move();
      default:
    }
  }

  #heard(sender: Sender, payload: unknown): void {
    const hello = readHello(payload);
    if (hello) return this.#greeted(sender, hello.hello);
    const signal = readSignal(payload);
    if (signal) this.#members.heard(sender, signal);
  }

  #greeted(sender: Sender, instance: string): void {
    this.#members.greeted(sender, instance, this.#announcer.isAnnounced);
  }

  #ended(sender: Sender, payload: unknown): void {
    const fromStaff = sender.roleId !== 'P';
    const name = nameOf(sender);
    const cancelled = fromStaff && (payload as { cancelled?: unknown } | undefined)?.cancelled === true;
    if (fromStaff && this.#parts.isPatient) {
      this.#members.sayBye();
      this.#over(cancelled ? 'cancelled' : 'ended');
    } else if (fromStaff) this.#parts.onNotice({ type: cancelled ? 'cancelled-by' : 'ended-by', name });
    else this.#members.gone(sender.peerId);
  }

  /** Type 6: staff may mute a microphone; only its owner unmutes it. */
  #muted(sender: Sender, payload: unknown): void {
    const unmute = (payload as { muted?: unknown } | undefined)?.muted === false;
    if (!unmute) this.#parts.media.setMuted(true);
    this.#parts.onNotice({ type: unmute ? 'unmute-asked' : 'muted-by', name: nameOf(sender) });
  }

  /** A patient's sign-in ends with the visit. The hub is closed first: its rejection would replace the page. */
  #over(why: SubscribeRefusal): void {
    this.#letGo();
    if (why !== 'early') this.#parts.chat.forgetUnsent();
    this.#set({ phase: { name: 'over', why } });
    if (this.#parts.isPatient && why !== 'early') void this.#parts.hub.stop();
  }

  #move(): void {
    this.#letGo();
    this.#set({ phase: { name: 'moved' } });
  }

  #letGo(): void {
    this.#goOut();
    this.#outbox = [];
    this.#members.clear();
    this.#parts.media.stop();
    this.#parts.chat.setOnline(false);
    this.#set({ online: false, people: [], hasFeed: false });
  }

  #mediaChanged(): void {
    this.#members.updateTracks();
    this.#announcer.announce();
  }

  #signal(to: string, signal: Outgoing): void {
    if (!this.#entered) {
      this.#outbox.push({ to, signal });
      return;
    }
    const payload: Signal = { ...signal, instance: this.#instance };
    this.#send({ type: messageType.peerData, to, payload }).catch(() => this.#outbox.push({ to, signal }));
  }

  /** Sends queued signals, except those of connections that have been replaced. */
  #flush(): void {
    for (const { to, signal } of this.#outbox.splice(0)) {
      if (this.#members.isCurrent(to, signal.connection)) this.#signal(to, signal);
    }
  }

  async #send(message: Omit<DataMessage, 'session'>): Promise<void> {
    if (!this.#entered) throw new Error('The hub is away.');
    await this.#parts.hub.invoke('SendData', { ...message, session: this.#parts.uid });
  }

  #changed(): void {
    const { people } = this.#members;
    const hasFeed = people.some(isFeed);
    this.#set({ people, hasFeed, hadCompany: hasFeed || this.view.get().hadCompany });
  }

  #set(part: Partial<RoomView>): void {
    this.view.set({ ...this.view.get(), ...part });
  }
}
