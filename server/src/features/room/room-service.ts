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
import { type DisconnectReason, HubError } from '@roomside/signalr';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';
import { markArrived } from '../waiting-room/mark-arrived.ts';
import { chatMessage, storeMessage } from './chat-rows.ts';
import { listLostAttendances } from './heartbeat.ts';
import { type MessagingContext, type MessagingControl, peerGroup, roomGroup } from './hub-types.ts';
import { LeaveTracker, notifyStaff } from './leave-tracker.ts';
import { membershipsOf, type RoomMembership, senderOf } from './memberships.ts';
import { presentPeers } from './peer-rows.ts';
import { asJob, auditHubCall, withSignIn } from './visit-calls.ts';
import { beginAttendance, endVisit, findRoom, lockVisit, markReady, refreshVisit, reopenVisit } from './visit-rows.ts';

/** Nobody types faster; a script would fill the room. */
const chatPace = { max: 60, ms: 60_000 };
/** What the processes tell each other of rooms: the other tab has taken over; the visit is over for its patients. */
export type RoomEvent =
  | { readonly kind: 'moved'; readonly connectionId: string; readonly uid: string }
  | { readonly kind: 'over'; readonly uid: string };

/** What the hub's methods do: the rules of the room (decisions, 6). One per process. */
export class RoomService {
  readonly #context: Context;
  readonly #control: MessagingControl;
  readonly instanceId: string;
  readonly departures: LeaveTracker;
  /** Seats whose connection moved to another tab: by connection, to forget them there. */
  readonly #contexts = new Map<string, MessagingContext>();

  constructor(context: Context, control: MessagingControl, instanceId: string) {
    this.#context = context;
    this.#control = control;
    this.instanceId = instanceId;
    this.departures = new LeaveTracker(context);
  }

  /** Enters a room; answers who else is there. A second tab of the same person takes over from the first. */
  async subscribe(ctx: MessagingContext, session: string): Promise<PresentPeer[]> {
    const uid = normaliseUid(session);
    const now = isoNow(this.#context.clock);
    const entered = await withSignIn(this.#context, ctx, 'Subscribe', async (tx, caller) => {
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
      const { stayId, replaced } = await beginAttendance(
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
      return { result: { room, sender, caller, stayId, replaced, change, others }, appointmentId: room.appointment_id };
    });
    const { room, sender, caller, stayId, replaced, change, others } = entered;
    if (replaced) this.#moveAway(replaced, uid, sender);
    this.#contexts.set(ctx.connectionId, ctx);
    membershipsOf(ctx).set(uid, { room, sender, caller, stayId, chatTimes: [] });
    await ctx.groups.add(roomGroup(uid));
    await ctx.groups.add(peerGroup(uid, sender.peerId));
    notifyStaff(this.#context, room, change);
    // The line broke while this ran: its end has passed already, and found no seat.
    if (ctx.signal.aborted) await this.disconnected(ctx, 'lost');
    return others;
  }

  /** Leaves a room on purpose: nobody waits for a return. */
  async unsubscribe(ctx: MessagingContext, session: string): Promise<void> {
    const uid = normaliseUid(session);
    const seat = membershipsOf(ctx).get(uid);
    if (!seat) return;
    await this.#forget(ctx, uid, seat);
    await this.departures.leave(seat, ctx, isoNow(this.#context.clock));
  }

  /** Relays to the room, or to one peer of it; type 3 and 4 also mean something to the server. */
  async sendData(ctx: MessagingContext, data: DataMessage): Promise<void> {
    const uid = normaliseUid(data.session);
    const seat = membershipsOf(ctx).get(uid);
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
      case messageType.callEnded:
        if (isStaff) await this.#end(ctx, seat);
        break;
      case messageType.participantArrived:
        // Relayed first, noted below.
        break;
    }
    const to =
      data.to === undefined || data.type === messageType.callEnded
        ? ctx.clients.othersIn(roomGroup(uid))
        : ctx.clients.group(peerGroup(uid, data.to));
    to.Notify(message, sender);
    // Whoever is to call hears it with the database away, too; the client hears that this failed, and says it again.
    if (data.type === messageType.participantArrived) await this.#ready(ctx, seat);
    if (data.type !== messageType.callEnded) return;
    if (isStaff) this.#announce({ kind: 'over', uid });
    else await this.unsubscribe(ctx, room.appointment_uid);
  }

  /** Stores a chat message, then delivers it, once: the same key again only answers with its id. */
  async sendText(ctx: MessagingContext, text: ChatText): Promise<number> {
    const uid = normaliseUid(text.session);
    const seat = membershipsOf(ctx).get(uid);
    if (!seat) throw new HubError('not-found');
    if (holdsCardNumber(text.payload)) throw new Refusal('card-number');
    seat.chatTimes = seat.chatTimes.filter((at) => at > this.#context.clock.now() - chatPace.ms);
    if (seat.chatTimes.length >= chatPace.max) throw new Refusal('too-many');
    seat.chatTimes.push(this.#context.clock.now());
    const { room, sender } = seat;
    const now = isoNow(this.#context.clock);
    const payload = text.payload.trim();
    const stored = await withSignIn(this.#context, ctx, 'SendText', async (tx) => {
      const message = { room, sender, key: text.key, payload, now };
      return { result: await storeMessage(tx, this.#context.keys, message), appointmentId: room.appointment_id };
    });
    if (stored.isNew) {
      const message = chatMessage({ room, sender, key: text.key, payload, now }, stored.messageId);
      ctx.clients.othersIn(roomGroup(uid)).Notify(message, sender);
    }
    return stored.messageId;
  }

  /** The connection is over, and its seats with it. */
  async disconnected(ctx: MessagingContext, reason: DisconnectReason): Promise<void> {
    this.#contexts.delete(ctx.connectionId);
    await this.departures.disconnected(ctx, reason);
  }

  /**
   * Beside the beat: who is here, but was given up by another process, which took this one for dead, is sent to enter anew.
   * His line never broke, so nothing else would ever make him.
   */
  async recallLost(): Promise<void> {
    const seats = [...this.#contexts.values()].flatMap((ctx) =>
      [...membershipsOf(ctx)].map(([uid, seat]) => ({ ctx, uid, seat })),
    );
    if (seats.length === 0) return;
    const lost = await listLostAttendances(
      this.#context,
      seats.map(({ seat }) => seat.stayId),
    );
    for (const { ctx, uid, seat } of seats) {
      // Whoever has left while this was asked has no seat any more.
      if (!lost.has(seat.stayId) || membershipsOf(ctx).get(uid) !== seat) continue;
      this.#control.close(ctx.connectionId, { allowReconnect: true });
    }
  }

  /** Type 4: video runs. A patient's is the arrival (decisions, 4). Saying it again is harmless. */
  async #ready(ctx: MessagingContext, seat: RoomMembership): Promise<void> {
    const { room } = seat;
    const now = isoNow(this.#context.clock);
    await asJob(this.#context, room, async (tx, afterCommit) => {
      await lockVisit(tx, room.company_id, room.appointment_id);
      const first = await markReady(tx, room.appointment_id, ctx.connectionId);
      if (first) {
        auditHubCall(tx, ctx, { caller: seat.caller, appointmentId: room.appointment_id, action: 'Ready', at: now });
      }
      if (seat.caller.kind !== 'patient') return;
      const arrival = { companyId: room.company_id, appointmentId: room.appointment_id, noCamera: false, now };
      await markArrived(tx, afterCommit, this.#context, arrival);
    });
  }

  /** Type 3 from staff: over, once both have met; the patient's link then says so. */
  async #end(ctx: MessagingContext, seat: RoomMembership): Promise<void> {
    const now = isoNow(this.#context.clock);
    const { room } = seat;
    await withSignIn(this.#context, ctx, 'EndVisit', async (tx, caller) => {
      if (!may(caller.role, 'room.end')) throw new HubError('not-allowed');
      await endVisit(tx, room.appointment_id, now);
      return { result: undefined, appointmentId: room.appointment_id };
    });
  }

  #announce(event: RoomEvent): void {
    this.#control.broadcast(event);
  }

  /** What this or another process has to say of a room. */
  async heard(event: RoomEvent): Promise<void> {
    const { uid } = event;
    if (event.kind === 'moved') {
      const other = this.#contexts.get(event.connectionId);
      const seat = other && membershipsOf(other).get(uid);
      if (other && seat) await this.#forget(other, uid, seat);
      return;
    }
    // The server, not the patient's page, sees to it that an ended visit has no patient left in it.
    const patients = [...this.#contexts.values()].filter(
      (ctx) => membershipsOf(ctx).get(uid)?.caller.kind === 'patient',
    );
    // All at once: one that fails does not keep the others in.
    await Promise.all(patients.map((ctx) => this.unsubscribe(ctx, uid)));
  }

  #moveAway(connectionId: string, uid: string, sender: Sender): void {
    this.#control.connection(connectionId).Notify({ type: messageType.movedToOtherTab, session: uid }, sender);
    this.#announce({ kind: 'moved', connectionId, uid });
  }

  async #forget(ctx: MessagingContext, uid: string, seat: RoomMembership): Promise<void> {
    membershipsOf(ctx).delete(uid);
    await ctx.groups.remove(roomGroup(uid));
    await ctx.groups.remove(peerGroup(uid, seat.sender.peerId));
  }
}
