import {
  type MessagingClient,
  messageType,
  type PresentPeer,
  type Sender,
  type SubscribeRefusal,
  subscribeRefusals,
} from '@roomside/contract/room/messages.ts';
import type { ChatLog } from '../chat/chat.ts';
import { createStore, type Store } from '../core/store.ts';
import type { VideoWish } from '../media/media-state.ts';
import type { PageEvent } from './network-watch.ts';
import type { QualityReporter } from './quality-reporter.ts';
import { ReadyAnnouncer } from './ready-announcer.ts';
import { type MemberParts, RemotePeers } from './remote-peers.ts';
import { RoomEntry, type RoomHub } from './room-entry.ts';
import { isFeed, isStaff, type Notice, nameOf, type RoomView } from './room-view.ts';
import { readHello, readSignal, readVideoWish } from './signal.ts';

interface Parts extends MemberParts {
  /** The visit, 32 hexadecimal digits. */
  uid: string;
  /** The patient's side: also a guest. */
  isPatient: boolean;
  /** When this person first entered, as the server knows, ms; null before. */
  joinedAt: number | null;
  hub: RoomHub;
  chat: ChatLog;
  reporter: Pick<QualityReporter, 'start' | 'stop' | 'save'>;
  /** Events of the page and its network; returns a function that stops them. */
  watchPage: (listener: (event: PageEvent) => void) => () => void;
  /** The sign-in may have ended: the visit is read again to find out. */
  onCut: () => void;
  /** The visit or the patient's wait has changed. */
  onWaitingChanged: () => void;
  /** The device has entered the room again: what was pushed meanwhile is lost. */
  onReturned: () => void;
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
  readonly view: Store<RoomView>;
  readonly #parts: Parts;
  readonly #members: RemotePeers;
  readonly #entry: RoomEntry;
  readonly #announcer: ReadyAnnouncer;
  #instance: string;
  /** This device has ended the visit. */
  #isEnding = false;
  #hasEntered = false;
  #stops: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.view = createStore<RoomView>({
      phase: { name: 'entering' },
      online: false,
      people: [],
      hasFeed: false,
      hadCompany: false,
      joinedAt: parts.joinedAt,
    });
    this.#instance = parts.newId();
    const onNotice = (notice: Notice) => {
      if (!(this.#isEnding && notice.type === 'left')) parts.onNotice(notice);
    };
    this.#members = new RemotePeers(
      { ...parts, onNotice },
      {
        signal: (to, signal) => this.#entry.signal(to, signal),
        canSignal: () => this.#entry.isIn,
        checkSignal: () => void parts.hub.check(),
        leaveFormerNetwork: (isWanted) => parts.hub.leaveFormerNetwork(isWanted),
        onChange: () => this.#changed(),
      },
    );
    this.#announcer = new ReadyAnnouncer({
      media: parts.media,
      clock: parts.clock,
      instance: () => this.#instance,
      others: () => this.#members.ids,
      canAnnounce: () => this.#entry.isIn,
      send: (message) => this.#entry.send(message),
    });
    this.#entry = new RoomEntry({
      uid: parts.uid,
      hub: parts.hub,
      clock: parts.clock,
      instance: () => this.#instance,
      mayEnter: () => !['moved', 'over'].includes(this.view.get().phase.name),
      // STATE-12: a patient's camera starts with the hub, staff are in the room first.
      onEntering: () => void (parts.isPatient && parts.media.start()),
      onEntered: (others) => this.#entered(others),
      onRefused: (code) => this.#refused(code),
    });
  }

  start(): void {
    const { hub, media, watchPage, reporter } = this.#parts;
    this.#stops = [
      watchPage((event) => this.#members.pageChanged(event)),
      hub.onState(() => this.#hubChanged()),
      hub.onNotify((...args) => this.#notified(...args)),
      media.view.subscribe(() => this.#mediaChanged()),
    ];
    reporter.start();
    hub.start();
    this.#hubChanged();
  }

  /** Leaves the room, notifies the others and releases everything. Resolves with the number of unsent messages. */
  async leave(): Promise<number> {
    const { hub, media, chat, clock, uid, reporter } = this.#parts;
    // The server handles one call after another, so an entry in progress is followed by the exit.
    const { isKnown } = this.#entry;
    // The visit may go on in another tab.
    if (this.view.get().phase.name !== 'moved') media.forgetSwitches();
    const written = this.#entry.isIn ? chat.sendRest() : undefined;
    this.#entry.exit();
    for (const stop of this.#stops.splice(0)) stop();
    this.#members.sendBye();
    media.stop();
    if (isKnown) {
      const unsubscribed = hub.invoke('Unsubscribe', uid).catch(() => undefined);
      const saving = new AbortController();
      const timeout = new Promise<void>((resolve) => clock.after(leaveTimeoutMs, resolve));
      await Promise.race([Promise.all([written, unsubscribed, reporter.save(saving.signal)]), timeout]);
      // A patient is signed out next, which would refuse it.
      saving.abort();
    }
    this.#release();
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
    await this.#entry.send({ type: messageType.callEnded }).catch((error: unknown) => {
      this.#isEnding = false;
      throw error;
    });
  }

  /** Type 5: staff ask a peer's camera for another size. Rejects while the hub is disconnected. */
  async resize(peerId: string, wish: VideoWish): Promise<void> {
    await this.#entry.send({ type: messageType.remoteVideo, to: peerId, payload: wish });
  }

  /** Type 6: staff mute a peer's microphone, or ask the person to unmute it. Rejects while the hub is disconnected. */
  async mute(peerId: string, muted: boolean): Promise<void> {
    await this.#entry.send({ type: messageType.remoteMute, to: peerId, payload: { muted } });
  }

  /** Takes the visit over from the other tab. */
  useHere(): void {
    if (this.view.get().phase.name !== 'moved') return;
    this.#instance = this.#parts.newId();
    this.#set({ phase: { name: 'entering' } });
    this.#parts.reporter.start();
    this.#parts.hub.restart();
    this.#hubChanged();
  }

  /** True from the start until this person leaves, or the visit is over for them. */
  get isOpen(): boolean {
    return this.#stops.length > 0 && ['entering', 'in'].includes(this.view.get().phase.name);
  }

  /** Sets new TURN credentials. */
  configure(iceServers: RTCIceServer[]): void {
    this.#members.configure(iceServers);
  }

  #hubChanged(): void {
    const { status } = this.#parts.hub.getState();
    if (status === 'connected') {
      if (!this.#entry.isIn) void this.#entry.enter();
      return;
    }
    this.#entry.exit();
    this.#parts.chat.setOnline(false);
    this.#set({ online: false });
  }

  #entered(others: readonly PresentPeer[]): void {
    const { media, chat, clock, onReturned } = this.#parts;
    this.#announcer.reset();
    this.#members.reconcile(others);
    this.#set({ phase: { name: 'in' }, online: true, joinedAt: this.view.get().joinedAt ?? clock.now() });
    chat.setOnline(true);
    void media.start();
    this.#announcer.announce();
    this.#entry.flush((to, connection) => this.#members.isCurrent(to, connection));
    this.#changed();
    if (this.#hasEntered) onReturned();
    this.#hasEntered = true;
  }

  /** Returns whether to try again. */
  #refused(code: string | undefined): boolean {
    const why = subscribeRefusals.find((one) => one === code);
    if (why) {
      this.#finish(why);
      return false;
    }
    // This says nothing about the visit: a user who is still signed in enters with the next connection.
    if (code === 'sign-in-ended') this.#parts.onCut();
    return true;
  }

  #notified(...[message, sender]: Parameters<MessagingClient['Notify']>): void {
    const { phase } = this.view.get();
    if (message.session !== this.#parts.uid || !this.#entry.isIn || phase.name !== 'in') return;
    switch (message.type) {
      case messageType.chat:
        return this.#parts.chat.receive(message);
      case messageType.peerData:
        return this.#handlePeerData(sender, message.payload);
      case messageType.participantArrived:
        return this.#handleReady(sender, readHello(message.payload)?.hello ?? sender.peerId);
      case messageType.callEnded:
        return this.#ended(sender, message.payload);
      case messageType.cancelledByPatient:
        return this.#cancelled(nameOf(sender));
      case messageType.remoteVideo: {
        const wish = readVideoWish(message.payload);
        if (wish) void this.#parts.media.resize(wish);
        return;
      }
      case messageType.remoteMute:
        return this.#muted(sender, message.payload);
      case messageType.userLeft:
        return this.#members.handleUserLeft(sender.peerId);
      case messageType.guestRemoved:
        return this.#members.remove(message.peerId);
      case messageType.waitingChanged:
        return this.#parts.onWaitingChanged();
      case messageType.movedToOtherTab:
        return this.#handOver();
      default:
    }
  }

  #handlePeerData(sender: Sender, payload: unknown): void {
    const hello = readHello(payload);
    if (hello) return this.#handleReady(sender, hello.hello);
    const signal = readSignal(payload);
    if (signal) this.#members.receiveSignal(sender, signal);
  }

  #handleReady(sender: Sender, instance: string): void {
    this.#members.handleReady(sender, instance, this.#announcer.isAnnounced);
  }

  #ended(sender: Sender, payload: unknown): void {
    const fromStaff = isStaff(sender);
    const name = nameOf(sender);
    const cancelled = fromStaff && (payload as { cancelled?: unknown } | undefined)?.cancelled === true;
    if (fromStaff && this.#parts.isPatient) {
      this.#members.sendBye();
      this.#finish(cancelled ? 'cancelled' : 'ended');
    } else if (cancelled) this.#cancelled(name);
    else if (fromStaff) this.#parts.onNotice({ type: 'ended-by', name });
    else this.#members.remove(sender.peerId);
  }

  /** For staff, who stay in a room in which they had company: there may be notes and uploads to finish. */
  #cancelled(name: string): void {
    const { isPatient, hub, uid, onNotice } = this.#parts;
    if (isPatient) return;
    onNotice({ type: 'cancelled-by', name });
    if (this.view.get().hadCompany) return;
    void hub.invoke('Unsubscribe', uid).catch(() => undefined);
    this.#finish('cancelled');
  }

  /** Type 6: staff may mute a microphone; only its owner unmutes it. */
  #muted(sender: Sender, payload: unknown): void {
    const unmute = (payload as { muted?: unknown } | undefined)?.muted === false;
    if (!unmute) this.#parts.media.setMuted(true);
    this.#parts.onNotice({ type: unmute ? 'unmute-asked' : 'muted-by', name: nameOf(sender) });
  }

  /** A patient's sign-in ends with the visit. The hub is closed first: its rejection would replace the page. */
  #finish(why: SubscribeRefusal): void {
    this.#release();
    if (why !== 'early') {
      this.#parts.chat.forgetUnsent();
      this.#parts.media.forgetSwitches();
    }
    this.#set({ phase: { name: 'over', why } });
    if (this.#parts.isPatient && why !== 'early') void this.#parts.hub.stop();
  }

  #handOver(): void {
    this.#release();
    this.#set({ phase: { name: 'moved' } });
  }

  #release(): void {
    this.#entry.end();
    this.#parts.reporter.stop();
    this.#members.clear();
    this.#parts.media.stop();
    this.#parts.chat.setOnline(false);
    this.#set({ online: false, people: [], hasFeed: false });
  }

  #mediaChanged(): void {
    this.#members.updateTracks();
    this.#announcer.announce();
    // Whether the others' video is shown may have changed.
    this.#changed();
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
