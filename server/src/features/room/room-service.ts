import { holdsCardNumber } from '@roomside/contract/card-number.ts';
import { earlyMinutes } from '@roomside/contract/limits.ts';
import { may } from '@roomside/contract/permissions.ts';
import {
  type ChatText,
  type DataMessage,
  messageType,
  type PresentPeer,
  type Sender,
} from '@roomside/contract/room/messages.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import type { DisconnectReason, HubServer } from '@roomside/signalr';
import { HubError } from '@roomside/signalr';
import { audit } from '../../platform/audit.ts';
import type { PatientCaller, StaffCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { openSession } from '../../platform/session.ts';
import { markArrived } from '../waiting-room/mark-arrived.ts';
import { chatMessage, storeMessage } from './chat-rows.ts';
import { type MessagingContext, type MessagingHub, peerGroup, roomGroup } from './messaging-hub.ts';
import { type Seat, seatsOf, senderOf, systemSender } from './seats.ts';
import {
  beginStay,
  endStay,
  endVisit,
  findRoom,
  hasStay,
  lockVisit,
  markReady,
  presentPeers,
  type Room,
  refreshVisit,
  reopenVisit,
  type VisitChange,
} from './visit-rows.ts';

/** Nobody types faster; a script would fill the room. */
const chatPace = { most: 60, ms: 60_000 };
/** How long a lost connection may take to come back before the others are told that somebody has left, ms. */
const graceMs = 5_000;
/** What the processes tell each other of rooms: the other tab has taken over; the visit is over for its patients. */
export type RoomNews =
  | { readonly news: 'moved'; readonly connectionId: string; readonly uid: string }
  | { readonly news: 'over'; readonly uid: string };

/** What the hub's methods do: the rules of the room (decisions, 6). One per process. */
export class RoomService {
  readonly #context: Context;
  readonly #hubs: HubServer;
  readonly #messaging: MessagingHub;
  readonly instanceId: string;
  /** Seats whose connection moved to another tab: by connection, to forget them there. */
  readonly #contexts = new Map<string, MessagingContext>();
  readonly #pending = new Set<ReturnType<typeof setTimeout>>();
  readonly #unfinished: (() => Promise<void>)[] = [];

  constructor(context: Context, hubs: HubServer, messaging: MessagingHub, instanceId: string) {
    this.#context = context;
    this.#hubs = hubs;
    this.#messaging = messaging;
    this.instanceId = instanceId;
  }

  /** Enters a room; answers who else is there. A second tab of the same person takes over from the first. */
  async subscribe(ctx: MessagingContext, session: string): Promise<PresentPeer[]> {
    const uid = normaliseUid(session);
    const now = isoNow(this.#context.clock);
    const entered = await this.#inSession(ctx, 'Subscribe', async (tx, caller) => {
      const found = await findRoom(tx, caller, uid);
      if (!found) throw new HubError('not-found');
      // Who comes and goes at once queues here; what was read before may have changed meanwhile.
      await lockVisit(tx, found.company_id, found.appointment_id);
      const room = await findRoom(tx, caller, uid);
      if (!room) throw new HubError('not-found');
      if (room.cancelled) throw new HubError('cancelled');
      if (caller.kind === 'patient') {
        if (room.closed) throw new HubError('ended');
        if (Date.parse(room.starts_at) - Date.parse(now) > earlyMinutes * 60_000) throw new HubError('early');
      }
      const replaced = await beginStay(
        tx,
        caller,
        room,
        { connectionId: ctx.connectionId, instanceId: this.instanceId },
        now,
      );
      const change = await refreshVisit(tx, room.company_id, room.appointment_id, now);
      if (caller.kind === 'staff' && room.closed) await reopenVisit(tx, room.appointment_id);
      const sender = senderOf(caller);
      const others = await presentPeers(tx, room, sender.peerId);
      return { result: { room, sender, caller, replaced, change, others }, appointmentId: room.appointment_id };
    });
    const { room, sender, caller, replaced, change, others } = entered;
    if (replaced) this.#moveAway(replaced, uid, sender);
    this.#contexts.set(ctx.connectionId, ctx);
    seatsOf(ctx).set(uid, { room, sender, caller, chatTimes: [] });
    await ctx.groups.add(roomGroup(uid));
    await ctx.groups.add(peerGroup(uid, sender.peerId));
    this.#tellStaff(room, change);
    // The line broke while this ran: its end has passed already, and found no seat.
    if (ctx.signal.aborted) await this.disconnected(ctx, 'lost');
    return others;
  }

  /** Leaves a room on purpose: nobody waits for a return. */
  async unsubscribe(ctx: MessagingContext, session: string): Promise<void> {
    const uid = normaliseUid(session);
    const seat = seatsOf(ctx).get(uid);
    if (!seat) return;
    await this.#forget(ctx, uid, seat);
    await this.#leave(seat, ctx, isoNow(this.#context.clock));
  }

  /** Relays to the room, or to one peer of it; type 3 and 4 also mean something to the server. */
  async sendData(ctx: MessagingContext, data: DataMessage): Promise<void> {
    const uid = normaliseUid(data.session);
    const seat = seatsOf(ctx).get(uid);
    if (!seat) throw new HubError('not-found');
    const { caller, sender, room } = seat;
    const message = { type: data.type, session: uid, ...(data.payload !== undefined && { payload: data.payload }) };
    const isStaff = caller.kind === 'staff';
    switch (data.type) {
      case messageType.peerData:
        if (data.to === undefined) throw new HubError('malformed');
        break;
      case messageType.remoteVideo:
      case messageType.remoteMute:
        if (!isStaff) throw new HubError('not-allowed');
        break;
      case messageType.participantArrived:
        await this.#ready(ctx, seat);
        break;
      case messageType.callEnded:
        if (isStaff) await this.#end(ctx, seat);
        break;
    }
    const to =
      data.to === undefined || data.type === messageType.callEnded
        ? ctx.clients.othersIn(roomGroup(uid))
        : ctx.clients.group(peerGroup(uid, data.to));
    to.Notify(message, sender);
    if (data.type !== messageType.callEnded) return;
    if (isStaff) this.#tell({ news: 'over', uid });
    else await this.unsubscribe(ctx, room.appointment_uid);
  }

  /** Stores a chat message, then delivers it, once: the same key again only answers with its id. */
  async sendText(ctx: MessagingContext, text: ChatText): Promise<number> {
    const uid = normaliseUid(text.session);
    const seat = seatsOf(ctx).get(uid);
    if (!seat) throw new HubError('not-found');
    if (holdsCardNumber(text.payload)) throw new Refusal('card-number');
    seat.chatTimes = seat.chatTimes.filter((at) => at > this.#context.clock.now() - chatPace.ms);
    if (seat.chatTimes.length >= chatPace.most) throw new Refusal('too-many');
    seat.chatTimes.push(this.#context.clock.now());
    const { room, sender } = seat;
    const now = isoNow(this.#context.clock);
    const payload = text.payload.trim();
    const stored = await this.#inSession(ctx, 'SendText', async (tx) => {
      const message = { room, sender, key: text.key, payload, now };
      return { result: await storeMessage(tx, message), appointmentId: room.appointment_id };
    });
    if (stored.isNew) {
      const message = chatMessage({ room, sender, key: text.key, payload, now }, stored.messageId);
      ctx.clients.othersIn(roomGroup(uid)).Notify(message, sender);
    }
    return stored.messageId;
  }

  /** A goodbye ends the stay at once; a lost line gets a moment to come back before anybody is told. */
  async disconnected(ctx: MessagingContext, reason: DisconnectReason): Promise<void> {
    this.#contexts.delete(ctx.connectionId);
    const seats = [...seatsOf(ctx).values()];
    if (seats.length === 0) return;
    const { lastSeen } = ctx;
    const at = new Date(lastSeen).toISOString();
    // Part of the moment may be over: the hub itself keeps a broken line for a while.
    const grace = Math.max(0, graceMs - (this.#context.clock.now() - lastSeen));
    for (const seat of seats) {
      if (reason === 'client-stop' || reason === 'auth') {
        await this.#finish(() => this.#leave(seat, ctx, at));
        continue;
      }
      await this.#finish(async () => {
        await this.#asJob(seat.room, (tx) => endStay(tx, seat.room.appointment_id, ctx.connectionId, at));
      });
      if (reason === 'shutdown') continue;
      const timer = setTimeout(() => {
        this.#pending.delete(timer);
        void this.#finish(() => this.#settle(seat));
      }, grace);
      this.#pending.add(timer);
    }
  }

  /** Does what must not be forgotten: with the database away it is kept, and done again by `retryUnfinished`. */
  async #finish(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#unfinished.push(work);
      this.#context.log.warn(
        { error: (error as { code?: string }).code },
        'a peer could not be seen off; trying again',
      );
    }
  }

  /** Beside the sweep, every few seconds. */
  async retryUnfinished(): Promise<void> {
    for (const work of this.#unfinished.splice(0)) await this.#finish(work);
  }

  close(): void {
    for (const timer of this.#pending) clearTimeout(timer);
  }

  /** After the grace: whoever came back has a new stay, and nobody is told anything. */
  async #settle(seat: Seat): Promise<void> {
    const now = isoNow(this.#context.clock);
    const { room, sender } = seat;
    const gone = await this.#asJob(room, async (tx) => {
      const back = await hasStay(tx, room.appointment_id, sender.peerId);
      if (back) return null;
      return refreshVisit(tx, room.company_id, room.appointment_id, now);
    });
    if (gone) this.#tellLeft(seat, gone);
  }

  async #leave(seat: Seat, ctx: MessagingContext, at: string): Promise<void> {
    const { room } = seat;
    const change = await this.#asJob(room, async (tx) => {
      const ended = await endStay(tx, room.appointment_id, ctx.connectionId, at);
      if (!ended) return null;
      await this.#trace(tx, ctx, seat.caller, room.appointment_id, 'Unsubscribe', at);
      return refreshVisit(tx, room.company_id, room.appointment_id, at);
    });
    if (change) this.#tellLeft(seat, change);
  }

  #tellLeft(seat: Seat, change: VisitChange): void {
    const { room, sender } = seat;
    const message = { type: messageType.userLeft, session: room.appointment_uid } as const;
    this.#context.push.room(room.appointment_uid, message, sender);
    if (change.patientLeft) {
      this.#context.push.staffOf(room.company_id, change.doctorId, message, sender);
    } else this.#tellStaff(room, change);
  }

  /** Counters outside ask again; the patient's own arrival is announced by type 0 (mark-arrived). */
  #tellStaff(room: Room, change: VisitChange): void {
    if (!change.patientCame && !change.patientLeft && !change.providerChanged) return;
    const message = { type: messageType.presenceChanged, session: room.appointment_uid } as const;
    this.#context.push.staffOf(room.company_id, change.doctorId, message, systemSender);
  }

  /** Type 4: video runs. A patient's is the arrival (decisions, 4). */
  async #ready(ctx: MessagingContext, seat: Seat): Promise<void> {
    const { room } = seat;
    const now = isoNow(this.#context.clock);
    const announce = await this.#asJob(room, async (tx) => {
      const first = await markReady(tx, room.appointment_id, ctx.connectionId);
      if (first) await this.#trace(tx, ctx, seat.caller, room.appointment_id, 'Ready', now);
      if (seat.caller.kind !== 'patient') return null;
      return markArrived(tx, this.#context, room.company_id, room.appointment_id, false, now);
    });
    announce?.();
  }

  /** Type 3 from staff: over, once both have met; the patient's link then says so. */
  async #end(ctx: MessagingContext, seat: Seat): Promise<void> {
    const now = isoNow(this.#context.clock);
    const { room } = seat;
    await this.#inSession(ctx, 'EndVisit', async (tx, caller) => {
      if (!may(caller.role, 'room.end')) throw new HubError('not-allowed');
      await endVisit(tx, room.appointment_id, now);
      return { result: undefined, appointmentId: room.appointment_id };
    });
  }

  #tell(news: RoomNews): void {
    this.#hubs.of(this.#messaging).tell(news);
  }

  /** What this or another process has to say of a room. */
  async heard(news: RoomNews): Promise<void> {
    const { uid } = news;
    if (news.news === 'moved') {
      const other = this.#contexts.get(news.connectionId);
      const seat = other && seatsOf(other).get(uid);
      if (other && seat) await this.#forget(other, uid, seat);
      return;
    }
    // The server, not the patient's page, sees to it that an ended visit has no patient left in it.
    for (const other of [...this.#contexts.values()]) {
      if (seatsOf(other).get(uid)?.caller.kind === 'patient') await this.unsubscribe(other, uid);
    }
  }

  #moveAway(connectionId: string, uid: string, sender: Sender): void {
    this.#hubs
      .of(this.#messaging)
      .connection(connectionId)
      .Notify({ type: messageType.movedToOtherTab, session: uid }, sender);
    this.#tell({ news: 'moved', connectionId, uid });
  }

  async #forget(ctx: MessagingContext, uid: string, seat: Seat): Promise<void> {
    seatsOf(ctx).delete(uid);
    await ctx.groups.remove(roomGroup(uid));
    await ctx.groups.remove(peerGroup(uid, seat.sender.peerId));
  }

  #asJob<T>(room: Room, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#context.db.open({ kind: 'job', companyId: room.company_id }, work);
  }

  /** A row per coming, going and message, not per signal. */
  #trace(
    tx: Tx,
    ctx: MessagingContext,
    caller: StaffCaller | PatientCaller,
    appointmentId: number,
    action: string,
    at: string,
  ): Promise<void> {
    return audit(tx, {
      caller,
      at,
      action,
      path: '/messaging',
      objects: { appointmentId },
      address: ctx.claims.address,
      requestId: ctx.connectionId,
    });
  }

  /** As an HTTP call: the session as it stands now, the work, the audit row, one transaction. */
  async #inSession<T>(
    ctx: MessagingContext,
    action: string,
    work: (tx: Tx, caller: StaffCaller | PatientCaller) => Promise<{ result: T; appointmentId: number }>,
  ): Promise<T> {
    const now = isoNow(this.#context.clock);
    return this.#context.db.begin(async (tx) => {
      const caller = await openSession(tx, ctx.claims.signInId, now);
      if (!caller) throw new Refusal('sign-in-ended');
      if (caller.kind === 'super') throw new HubError('not-found');
      const { result, appointmentId } = await work(tx, caller);
      await this.#trace(tx, ctx, caller, appointmentId, action, now);
      return result;
    });
  }
}
