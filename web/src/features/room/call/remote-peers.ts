import type { PresentPeer, Sender } from '@roomside/contract/room/messages.ts';
import type { Clock } from '../core/clock.ts';
import type { PeerChannel } from '../core/peer-channel.ts';
import { isGuestPeer } from '../core/peer-id.ts';
import type { LocalMedia } from '../media/local-media.ts';
import type { IceServers } from './ice-servers.ts';
import type { Outgoing } from './negotiation.ts';
import type { PageEvent } from './network-watch.ts';
import { Peer } from './peer.ts';
import type { QualitySummary } from './quality-summary.ts';
import { isStaff, type Notice, nameOf, type Person } from './room-view.ts';
import type { Signal } from './signal.ts';

export interface MemberParts {
  /** Id of this device's peer. */
  peerId: string;
  media: LocalMedia;
  clock: Clock;
  random: () => number;
  newId: () => string;
  /** Creates a connection with the current ICE servers, or one that uses the TURN servers only. */
  connect: (relayOnly: boolean) => RTCPeerConnection;
  iceServers: Pick<IceServers, 'hasRelay' | 'refresh'>;
  summary: QualitySummary;
  /** Creates the features' data channels for one peer. */
  createChannels?: (peerId: string) => readonly PeerChannel[];
  onNotice: (notice: Notice) => void;
}

/** What the peers need from their room. */
interface MemberRoom {
  signal: (to: string, signal: Outgoing) => void;
  /** False while the hub is disconnected. */
  canSignal: () => boolean;
  /** Finds out whether the hub's connection still works. */
  checkSignal: () => void;
  /** Replaces the hub's connection if it is of a former network; returns whether it did. Ends when `isWanted` is false. */
  leaveFormerNetwork: (isWanted: () => boolean) => Promise<boolean>;
  /** A peer came, left or changed. */
  onChange: () => void;
}

interface Member {
  sender: Sender;
  /** Id of the page load that `peer` belongs to. */
  instance?: string;
  /** Earlier page loads; their signals may arrive late. */
  retired: Set<string>;
  peer?: Peer;
  /** The hub has lost this peer. answers: its page still responds; silent: it may be reloading. */
  hubLost: false | 'answers' | 'silent';
  /** How often the hub has reported that this peer is there. */
  presenceReports: number;
}

/** Grace period for a peer that disconnected without leaving, ms. */
const returnGraceMs = 5_000;

/**
 * The other peers in a room, each with the connection to its device. A page that leaves is reported by the hub and no
 * longer responds; a reloaded one returns with a new instance; one that lost the hub still responds on its data channel.
 */
export class RemotePeers {
  readonly #parts: MemberParts;
  readonly #room: MemberRoom;
  readonly #members = new Map<string, Member>();
  /** Instances whose verification has failed: no further connection to them is built. */
  readonly #unverified = new Set<string>();
  #isFollowing = false;
  /** This page is not shown. */
  #hidden = false;

  constructor(parts: MemberParts, room: MemberRoom) {
    this.#parts = parts;
    this.#room = room;
  }

  /** The peer ids in the order in which they came. */
  get ids(): string[] {
    return [...this.#members.keys()];
  }

  get people(): Person[] {
    const { savesData } = this.#parts.media.view.get();
    return [...this.#members.values()].map(({ sender, peer, hubLost }): Person => {
      const view = peer?.view;
      const link = hubLost === 'silent' ? 'lost' : (view?.link ?? 'arriving');
      const mediaState = view?.mediaState ?? { sound: true, picture: true };
      return {
        peerId: sender.peerId,
        name: nameOf(sender),
        isStaff: isStaff(sender),
        isPatient: sender.roleId === 'P',
        link,
        stream: view?.stream,
        mediaState: { ...mediaState, picture: mediaState.picture && !savesData },
        quality: link === 'live' ? view?.quality : undefined,
        words: view?.words,
      };
    });
  }

  /** Compares the peers with those that the hub lists after this device has entered. */
  reconcile(others: readonly PresentPeer[]): void {
    for (const [peerId, member] of this.#members) {
      if (others.some((other) => other.peerId === peerId)) continue;
      // A guest may have been removed meanwhile, and their page could answer.
      if (isGuestPeer(peerId)) this.remove(peerId);
      else void this.#checkIfLeft(peerId, member);
    }
    for (const other of others) {
      const member = this.#meet(other);
      markPresent(member);
      member.peer?.retryNow();
    }
  }

  receiveSignal(sender: Sender, signal: Signal): void {
    const member = this.#meet(sender);
    if (member.instance !== signal.instance) {
      // Only an offer starts a connection; other signals belong to a page that has left.
      if (signal.description?.type !== 'offer' || member.retired.has(signal.instance)) return;
      this.#renew(member, signal.instance);
    }
    markPresent(member);
    void this.#peerOf(member).receive(signal);
  }

  /** A peer can be called. Calls it if this device can be called too. A person's newest page replaces the earlier one. */
  handleReady(sender: Sender, instance: string, calls: boolean): void {
    const member = this.#meet(sender);
    if (member.retired.has(instance)) return;
    markPresent(member);
    if (member.instance !== instance) this.#renew(member, instance);
    else member.peer?.retryNow();
    if (calls) this.#peerOf(member).call();
    this.#room.onChange();
  }

  /** The hub has lost a peer. */
  handleUserLeft(peerId: string): void {
    const member = this.#members.get(peerId);
    if (member) void this.#checkIfLeft(peerId, member);
  }

  remove(peerId: string): void {
    const member = this.#members.get(peerId);
    if (!member) return;
    this.#members.delete(peerId);
    member.peer?.close();
    this.#parts.onNotice({ type: 'left', name: nameOf(member.sender) });
    this.#room.onChange();
  }

  /** Whether a signal that is queued for a peer's connection should still be sent. */
  isCurrent(peerId: string, connection: string): boolean {
    return this.#members.get(peerId)?.peer?.isCurrent(connection) === true;
  }

  sendBye(): void {
    for (const { peer } of this.#members.values()) peer?.sendBye();
  }

  updateTracks(): void {
    for (const { peer } of this.#members.values()) peer?.updateTracks();
  }

  configure(iceServers: RTCIceServer[]): void {
    for (const { peer } of this.#members.values()) peer?.configure(iceServers);
  }

  /** The page was shown or hidden, or this device has another network. */
  pageChanged(event: PageEvent): void {
    if (event !== 'network') this.#hidden = event === 'hidden';
    for (const { peer } of this.#members.values()) {
      if (event === 'network') peer?.networkChanged();
      else if (event === 'visible') peer?.retryNow();
      if (event !== 'network') peer?.sendMediaState();
    }
  }

  /** Removes all peers without notices. */
  clear(): void {
    for (const { peer } of this.#members.values()) peer?.close();
    this.#members.clear();
  }

  #meet(sender: Sender): Member {
    const known = this.#members.get(sender.peerId);
    const member: Member = known ?? { sender, retired: new Set(), hubLost: false, presenceReports: 0 };
    member.sender = sender;
    if (!known) this.#members.set(sender.peerId, member);
    return member;
  }

  #renew(member: Member, instance: string): void {
    const isNew = member.instance === undefined;
    member.peer?.close();
    delete member.peer;
    if (member.instance !== undefined) member.retired.add(member.instance);
    member.instance = instance;
    if (isNew) this.#parts.onNotice({ type: 'joined', name: nameOf(member.sender) });
  }

  /** The hub has lost a peer: it has left unless its page still responds or returns within the grace period. */
  async #checkIfLeft(peerId: string, member: Member): Promise<void> {
    const { peer, presenceReports } = member;
    if (!peer) return this.remove(peerId);
    const alive = await peer.isAlive();
    // After a reload there is another peer. One that came back meanwhile is there, whatever the answer was.
    if (member.peer !== peer || member.presenceReports !== presenceReports) return;
    member.hubLost = alive ? 'answers' : 'silent';
    this.#room.onChange();
    if (alive) return;
    this.#parts.clock.after(returnGraceMs, () => {
      const isBack = member.hubLost !== 'silent' || member.presenceReports !== presenceReports;
      if (!isBack && this.#members.get(peerId) === member) this.remove(peerId);
    });
  }

  /**
   * All peers have become silent: if this device has another network, which not every browser reports, new candidates are needed. They are
   * negotiated before ICE finds the connections lost.
   */
  async #followNetwork(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const isSilent = () => {
      const heard = [...this.#members.values()].map(({ peer }) => peer?.isHeard);
      return heard.includes(false) && !heard.includes(true);
    };
    const hasOther = await this.#room.leaveFormerNetwork(isSilent).finally(() => {
      this.#isFollowing = false;
    });
    if (hasOther) this.pageChanged('network');
  }

  /** One notice when this device loses several peers. */
  #lost(type: 'lost' | 'frozen'): void {
    const isKnown = [...this.#members.values()].some(({ peer }) => peer?.isInterrupted);
    if (isKnown) return;
    this.#parts.summary.interrupted();
    this.#parts.onNotice({ type });
  }

  #peerOf(member: Member): Peer {
    const { media, clock, random, newId, connect, iceServers, createChannels, summary } = this.#parts;
    const { peerId } = member.sender;
    const peer: Peer =
      member.peer ??
      new Peer({
        polite: this.#parts.peerId < peerId,
        clock,
        random,
        newId,
        connect,
        refresh: () => iceServers.refresh(),
        hasRelay: () => iceServers.hasRelay,
        send: (signal) => this.#room.signal(peerId, signal),
        canSignal: () => this.#room.canSignal(),
        checkSignal: () => this.#room.checkSignal(),
        stream: () => media.view.get().stream,
        mediaState: () => ({ ...media.mediaState, ...(this.#hidden && { hidden: true }) }),
        channels: createChannels?.(peerId) ?? [],
        onSilent: () => void this.#followNetwork(),
        onNotice: (type) => {
          if (type === 'lost' || type === 'frozen') return this.#lost(type);
          if (type === 'unverified' && member.instance !== undefined) this.#unverified.add(member.instance);
          this.#parts.onNotice({ type, name: nameOf(member.sender) });
        },
        onSample: (quality, figures) => summary.add(quality, figures),
        onAttempt: () => summary.attempted(),
        onChange: () => {
          if (member.hubLost === 'answers' && !peer.reachable) void this.#checkIfLeft(peerId, member);
          else this.#room.onChange();
        },
        onBye: () => {
          if (this.#members.get(peerId) === member) this.remove(peerId);
        },
      });
    member.peer = peer;
    // The member may have been removed meanwhile and have come back.
    if (member.instance !== undefined && this.#unverified.has(member.instance)) peer.close();
    return peer;
  }
}

function markPresent(member: Member): void {
  member.hubLost = false;
  member.presenceReports += 1;
}
