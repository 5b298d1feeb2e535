import { messageType } from '@roomside/contract/room/messages.ts';
import type { DisconnectReason } from '@roomside/signalr';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { MessagingContext } from './hub-types.ts';
import { membershipsOf, type RoomMembership, systemSender } from './memberships.ts';
import { asJob, auditHubCall } from './visit-calls.ts';
import { endAttendance, hasAttendance, lockVisit, type Room, refreshVisit, type VisitChange } from './visit-rows.ts';

/** How long a lost connection may take to come back before the others are told that somebody has left, ms. */
const graceMs = 5_000;

/** Seeing people off (decisions, 6): ends their stays, in time, and tells who is left. One per process. */
export class LeaveTracker {
  readonly #context: Context;
  /** Stop the graces that run. */
  readonly #pending = new Set<() => void>();
  readonly #unfinished: (() => Promise<void>)[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /** Somebody leaves a room on purpose: nobody waits for a return. `at` is ISO 8601. Never throws: it is not forgotten. */
  async leave(seat: RoomMembership, ctx: MessagingContext, at: string): Promise<void> {
    await this.#finish(() => this.#leave(seat, ctx, at));
  }

  async #leave(seat: RoomMembership, ctx: MessagingContext, at: string): Promise<void> {
    const { room } = seat;
    const change = await asJob(this.#context, room, async (tx) => {
      // First the visit, as whoever enters does it.
      await lockVisit(tx, room.company_id, room.appointment_id);
      const ended = await endAttendance(tx, seat.stayId, at);
      if (!ended) return null;
      auditHubCall(tx, ctx, { caller: seat.caller, appointmentId: room.appointment_id, action: 'Unsubscribe', at });
      return refreshVisit(tx, room.company_id, room.appointment_id, at);
    });
    if (change) this.#tellLeft(seat, change);
  }

  /** A connection is over. A goodbye ends its stays at once; a lost line gets a moment to come back before anybody is told. */
  async disconnected(ctx: MessagingContext, reason: DisconnectReason): Promise<void> {
    // Most are back in a moment, elsewhere. For the others the sweep sees to it, once this process is no more.
    if (reason === 'shutdown') return;
    const { lastSeen } = ctx;
    const at = new Date(lastSeen).toISOString();
    // Part of the moment may be over: the hub itself keeps a broken line for a while.
    const grace = Math.max(0, graceMs - (this.#context.clock.now() - lastSeen));
    for (const seat of [...membershipsOf(ctx).values()]) {
      if (reason === 'client-stop' || reason === 'auth') {
        await this.leave(seat, ctx, at);
        continue;
      }
      await this.#finish(async () => {
        await asJob(this.#context, seat.room, (tx) => endAttendance(tx, seat.stayId, at));
        this.#settleAfter(seat, grace);
      });
    }
  }

  /** Only once the stay has ended: before that, it would look as if its owner were back. */
  #settleAfter(seat: RoomMembership, ms: number): void {
    const cancel = this.#context.clock.after(ms, () => {
      this.#pending.delete(cancel);
      void this.#finish(() => this.#settle(seat));
    });
    this.#pending.add(cancel);
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
    for (const cancel of this.#pending) cancel();
  }

  /** After the grace: whoever came back has a new stay, and nobody is told anything. */
  async #settle(seat: RoomMembership): Promise<void> {
    const now = isoNow(this.#context.clock);
    const { room, sender } = seat;
    const gone = await asJob(this.#context, room, async (tx) => {
      const back = await hasAttendance(tx, room.appointment_id, sender.peerId);
      if (back) return null;
      return refreshVisit(tx, room.company_id, room.appointment_id, now);
    });
    if (gone) this.#tellLeft(seat, gone);
  }

  #tellLeft(seat: RoomMembership, change: VisitChange): void {
    const { room, sender } = seat;
    const { push } = this.#context;
    const message = { type: messageType.userLeft, session: room.appointment_uid } as const;
    push.room(room.appointment_uid, message, sender);
    if (change.patientLeft) push.staffOf(room.company_id, change.doctorId, message, sender);
    else notifyStaff(this.#context, room, change);
  }
}

/** Counters outside ask again; the patient's own arrival is announced by type 0 (mark-arrived). */
export function notifyStaff({ push }: Context, room: Room, change: VisitChange): void {
  if (!change.patientCame && !change.patientLeft && !change.providerChanged) return;
  const message = { type: messageType.presenceChanged, session: room.appointment_uid } as const;
  push.staffOf(room.company_id, change.doctorId, message, systemSender);
}
