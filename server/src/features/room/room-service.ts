import { holdsCardNumber } from '@roomside/contract/card-number.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { may } from '@roomside/contract/permissions.ts';
import {
  type ChatText,
  type DataMessage,
  messageType,
  type PresentPeer,
  type Sender,
} from '@roomside/contract/room/messages.ts';
import { opensAt } from '@roomside/contract/room/opens-at.ts';
import { type DisconnectReason, HubError } from '@roomside/signalr';
import { sql } from 'kysely';
import { peerIdOf, type RoomCaller, senderOf } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { endGuests } from '../../platform/end-sign-ins.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { markArrived } from '../notifications/mark-arrived.ts';
import { chatMessage, storeMessage } from './chat-rows.ts';
import { whyNoPlace } from './guest-place.ts';
import { listLostAttendances } from './heartbeat.ts';
import { type MessagingContext, type MessagingControl, peerGroup, roomGroup, withoutGuestsGroup } from './hub-types.ts';
import { LeaveTracker, notifyStaff, pushWaitEnded } from './leave-tracker.ts';
import { membershipsOf, type RoomMembership } from './memberships.ts';
import { presentPeers } from './peer-rows.ts';
import { asJob, auditHubCall, withSignIn } from './visit-calls.ts';
import {
  beginAttendance,
  endVisit,
  findRoom,
  lockVisit,
  markReady,
  type Room,
  refreshVisit,
  reopenVisit,
  wasJustIn,
} from './visit-rows.ts';

/** Chat messages per membership: more than a person types, so that a script cannot flood the room. */
const chatLimit = { max: 60, windowMs: 60_000 };

/** Sent to all processes: a peer has moved to another connection; a visit has ended for its patient and guests. */
export type RoomEvent =
  | { readonly kind: 'moved'; readonly connectionId: string; readonly uid: string }
  | { readonly kind: 'over'; readonly uid: string };

/** Refuses everyone of an expired company, unless this visit began before the expiry and has not ended. */
async function requireLicense(
  tx: Tx,
  caller: RoomCaller,
  { company_id, appointment_id }: Room,
  now: string,
): Promise<void> {
  if (caller.license === 'valid') return;
  const { rows } = await sql<{ can_enter: boolean }>`select can_enter
    from visits_past_license(${company_id}, ${now}) where appointment_id = ${appointment_id}`.execute(tx);
  if (!rows[0]?.can_enter) throw new HubError('unlicensed');
}

/** Refuses staff without a required second factor all rooms but those that they have just been in (decision 060). */
async function requireFactor(tx: Tx, caller: RoomCaller, { appointment_id }: Room, now: string): Promise<void> {
  if (caller.kind !== 'staff' || caller.secondFactor === 'settled') return;
  if (!(await wasJustIn(tx, appointment_id, { user_id: caller.userId }, now)))
    throw new Refusal('second-factor-required');
}

/** Notes a guest's first entry. Refuses a guest who was removed while the entry waited for the visit's lock. */
async function noteJoined(tx: Tx, guestId: number, now: string): Promise<void> {
  const joined = await tx
    .updateTable('visit_guests')
    .set({ joined_at: sql`coalesce(joined_at, ${now})` })
    .where('guest_id', '=', guestId)
    .where(sql<boolean>`guest_is_valid(guest_id, ${now})`)
    .returning('guest_id')
    .executeTakeFirst();
  if (!joined) throw new Refusal('sign-in-ended');
}

/** How often one person can enter rooms, in one process. Each entry changes the visit and writes audit rows. */
const entryLimit = { max: 60, windowMs: 10_000 };

/** A peer ends a visit at most once in this time, ms. */
const endRepeatMs = 1000;

/** The hub's methods and the rules of the room. One per process. */
export class RoomService {
  readonly #context: Context;
  readonly #control: MessagingControl;
  readonly instanceId: string;
  readonly leaveTracker: LeaveTracker;
  readonly #entries = new RateLimit(entryLimit);
  /** The connections of this process that have entered a room, by connection id. */
  readonly #contexts = new Map<string, MessagingContext>();

  constructor(context: Context, control: MessagingControl, instanceId: string) {
    this.#context = context;
    this.#control = control;
    this.instanceId = instanceId;
    this.leaveTracker = new LeaveTracker(context);
  }

  /** Enters a room. Returns the other peers. A second tab of the same sign-in replaces the first. */
  async subscribe(ctx: MessagingContext, session: string): Promise<PresentPeer[]> {
    const uid = normalizeUid(session);
    if (!this.#entries.allows(ctx.userId ?? '', this.#context.clock.now())) throw new HubError('too-many');
    const now = isoNow(this.#context.clock);
    const entered = await withSignIn(this.#context, ctx, 'Subscribe', async (tx, caller) => {
      const found = await findRoom(tx, caller, uid);
      if (!found) throw new HubError('not-found');
      // Peers that enter or leave at the same time wait here. The room is read again: it may have changed meanwhile.
      await lockVisit(tx, found.company_id, found.appointment_id);
      const room = await findRoom(tx, caller, uid);
      if (!room) throw new HubError('not-found');
      if (room.cancelled) throw new HubError('cancelled');
      await requireFactor(tx, caller, room, now);
      await requireLicense(tx, caller, room, now);
      if (caller.kind !== 'staff') {
        if (room.closed) throw new HubError('ended');
      }
      if (caller.kind === 'patient') {
        if (Date.parse(now) < opensAt(room.starts_at)) throw new HubError('early');
      }
      const others = await presentPeers(tx, room.appointment_id, peerIdOf(caller));
      if (caller.kind === 'guest') {
        const why = await whyNoPlace(tx, room.appointment_id, peerIdOf(caller), others, now);
        if (why) throw new HubError(why);
      }
      const { attendanceId, replaced } = await beginAttendance(
        tx,
        caller,
        room,
        { connectionId: ctx.connectionId, instanceId: this.instanceId },
        now,
      );
      const change = await refreshVisit(tx, room.company_id, room.appointment_id, now);
      if (caller.kind === 'staff' && room.closed) await reopenVisit(tx, room.appointment_id);
      if (caller.kind === 'guest') await noteJoined(tx, caller.guestId, now);
      const sender = senderOf(caller);
      return {
        result: { room, sender, caller, attendanceId, replaced, change, others },
        appointmentId: room.appointment_id,
      };
    });
    const { room, sender, caller, attendanceId, replaced, change, others } = entered;
    if (replaced) this.#moveAway(replaced, uid, sender);
    this.#contexts.set(ctx.connectionId, ctx);
    membershipsOf(ctx).set(uid, { room, sender, caller, attendanceId, chatTimes: [], endedAt: 0 });
    await ctx.groups.add(roomGroup(uid));
    await ctx.groups.add(peerGroup(uid, sender.peerId));
    if (caller.kind !== 'guest') await ctx.groups.add(withoutGuestsGroup(uid));
    notifyStaff(this.#context, room, change);
    pushWaitEnded(this.#context, uid, change);
    // The connection closed while this ran. Its onDisconnected has run already and found no membership.
    if (ctx.signal.aborted) await this.disconnected(ctx, 'lost');
    return others;
  }

  /** Leaves a room on purpose, without a grace period. */
  async unsubscribe(ctx: MessagingContext, session: string): Promise<void> {
    const uid = normalizeUid(session);
    const membership = membershipsOf(ctx).get(uid);
    if (!membership) return;
    await this.#forget(ctx, uid, membership);
    await this.leaveTracker.leave(membership, ctx, isoNow(this.#context.clock));
  }

  /** Relays a message to the room or to one of its peers. Types 3 and 4 also change the visit. */
  async sendData(ctx: MessagingContext, data: DataMessage): Promise<void> {
    const uid = normalizeUid(data.session);
    const membership = membershipsOf(ctx).get(uid);
    if (!membership) throw new HubError('not-found');
    const { caller, sender, room } = membership;
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
        // Before both sides have met nothing ends: the others go on waiting, as when staff leave.
        if (isStaff) {
          // A repeat, such as a double click, changes nothing, and would be a transaction with an audit row each.
          if (Math.abs(this.#context.clock.now() - membership.endedAt) < endRepeatMs) return;
          if (!(await this.#endVisit(ctx, membership))) return this.unsubscribe(ctx, uid);
          membership.endedAt = this.#context.clock.now();
        }
        break;
      case messageType.participantArrived:
        // Relayed first, recorded below.
        break;
    }
    const to =
      data.to === undefined || data.type === messageType.callEnded
        ? ctx.clients.othersIn(roomGroup(uid))
        : ctx.clients.group(peerGroup(uid, data.to));
    to.Notify(message, sender);
    // Relayed before it is stored, so that peers can connect while the database is down. The client retries after the error.
    if (data.type === messageType.participantArrived) await this.#recordReady(ctx, membership);
    if (data.type !== messageType.callEnded) return;
    if (isStaff) this.#broadcast({ kind: 'over', uid });
    else await this.unsubscribe(ctx, room.appointment_uid);
  }

  /** Stores a chat message, then relays it. Returns its id. A retry with the same key is not relayed again. */
  async sendText(ctx: MessagingContext, text: ChatText): Promise<number> {
    const uid = normalizeUid(text.session);
    const membership = membershipsOf(ctx).get(uid);
    if (!membership) throw new HubError('not-found');
    if (holdsCardNumber(text.payload)) throw new Refusal('card-number');
    membership.chatTimes = membership.chatTimes.filter((at) => at > this.#context.clock.now() - chatLimit.windowMs);
    if (membership.chatTimes.length >= chatLimit.max) throw new Refusal('too-many');
    membership.chatTimes.push(this.#context.clock.now());
    const { sender } = membership;
    const now = isoNow(this.#context.clock);
    const payload = text.payload.trim();
    const { message, messageId, isNew } = await withSignIn(this.#context, ctx, 'SendText', async (tx, caller) => {
      // The patient may have been merged with another one since the peer entered.
      const room = await findRoom(tx, caller, uid);
      if (!room) throw new HubError('not-found');
      const message = { room, sender, key: text.key, payload, now };
      const stored = await storeMessage(tx, this.#context.keys, message);
      return { result: { message, ...stored }, appointmentId: room.appointment_id };
    });
    if (isNew) ctx.clients.othersIn(roomGroup(uid)).Notify(chatMessage(message, messageId), sender);
    return messageId;
  }

  /** Call when a connection has closed: its peer leaves its rooms. */
  async disconnected(ctx: MessagingContext, reason: DisconnectReason): Promise<void> {
    this.#contexts.delete(ctx.connectionId);
    await this.leaveTracker.disconnected(ctx, reason);
  }

  /**
   * Runs with each heartbeat. Closes the connections whose attendance another process has ended, because it took this one
   * for dead, with a request to reconnect. The clients would not enter again otherwise, since their connections are open.
   */
  async reconnectLost(): Promise<void> {
    const memberships = [...this.#contexts.values()].flatMap((ctx) =>
      [...membershipsOf(ctx)].map(([uid, membership]) => ({ ctx, uid, membership })),
    );
    if (memberships.length === 0) return;
    const lost = await listLostAttendances(
      this.#context,
      memberships.map(({ membership }) => membership.attendanceId),
    );
    for (const { ctx, uid, membership } of memberships) {
      // The peer may have left during the query.
      if (!lost.has(membership.attendanceId) || membershipsOf(ctx).get(uid) !== membership) continue;
      this.#control.close(ctx.connectionId, { allowReconnect: true });
    }
  }

  /** Type 4: the peer's video runs. From a patient it is the arrival. Idempotent. */
  async #recordReady(ctx: MessagingContext, membership: RoomMembership): Promise<void> {
    const { room } = membership;
    const now = isoNow(this.#context.clock);
    await asJob(this.#context, room, async (tx, afterCommit) => {
      await lockVisit(tx, room.company_id, room.appointment_id);
      const first = await markReady(tx, room.appointment_id, ctx.connectionId);
      if (first) {
        auditHubCall(tx, ctx, {
          caller: membership.caller,
          appointmentId: room.appointment_id,
          action: 'Ready',
          at: now,
        });
      }
      if (membership.caller.kind !== 'patient') return;
      const arrival = { companyId: room.company_id, appointmentId: room.appointment_id, noCamera: false, now };
      await markArrived(tx, afterCommit, this.#context, arrival);
    });
  }

  /** Type 3 from staff: ends the visit if both sides have met, and returns whether they have. */
  #endVisit(ctx: MessagingContext, membership: RoomMembership): Promise<boolean> {
    const now = isoNow(this.#context.clock);
    const { room } = membership;
    const context = this.#context;
    return withSignIn(context, ctx, 'EndVisit', async (tx, caller) => {
      if (!may(caller.role, 'room.end')) throw new HubError('not-allowed');
      const ended = await endVisit(tx, room.company_id, room.appointment_id, now);
      if (ended) await endGuests({ tx, context, now }, room.appointment_id);
      return { result: ended, appointmentId: room.appointment_id };
    });
  }

  #broadcast(event: RoomEvent): void {
    this.#control.broadcast(event);
  }

  /** Handles an event that this or another process has broadcast. */
  async onRoomEvent(event: RoomEvent): Promise<void> {
    const { uid } = event;
    if (event.kind === 'moved') {
      const previous = this.#contexts.get(event.connectionId);
      const membership = previous && membershipsOf(previous).get(uid);
      if (previous && membership) await this.#forget(previous, uid, membership);
      return;
    }
    // Done by the server: a patient's or guest's page may not react to type 3.
    const visitors = [...this.#contexts.values()].filter((ctx) => {
      const membership = membershipsOf(ctx).get(uid);
      return membership !== undefined && membership.caller.kind !== 'staff';
    });
    // In parallel, so that one that fails does not keep the others in the room.
    await Promise.all(visitors.map((ctx) => this.unsubscribe(ctx, uid)));
  }

  #moveAway(connectionId: string, uid: string, sender: Sender): void {
    this.#control.connection(connectionId).Notify({ type: messageType.movedToOtherTab, session: uid }, sender);
    this.#broadcast({ kind: 'moved', connectionId, uid });
  }

  async #forget(ctx: MessagingContext, uid: string, membership: RoomMembership): Promise<void> {
    membershipsOf(ctx).delete(uid);
    await ctx.groups.remove(roomGroup(uid));
    await ctx.groups.remove(peerGroup(uid, membership.sender.peerId));
    await ctx.groups.remove(withoutGuestsGroup(uid));
  }
}
