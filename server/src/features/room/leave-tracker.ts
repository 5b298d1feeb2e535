import { messageType } from '@roomside/contract/room/messages.ts';
import type { DisconnectReason } from '@roomside/signalr';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { pushVisitChanged } from '../appointments/push-room.ts';
import type { MessagingContext } from './hub-types.ts';
import { membershipsOf, type RoomMembership, systemSender } from './memberships.ts';
import { stopRunOf } from './recording-rows.ts';
import { asJob, auditHubCall } from './visit-calls.ts';
import { endAttendance, hasAttendance, lockVisit, type Room, refreshVisit, type VisitChange } from './visit-rows.ts';

/** How long a lost connection may take to reconnect before the others are notified that its peer has left, ms. */
const gracePeriodMs = 5_000;

/** Ends the attendances of peers that leave or lose their connection, and notifies the others. One per process. */
export class LeaveTracker {
  readonly #context: Context;
  /** Cancel the running grace periods. */
  readonly #pending = new Set<() => void>();
  readonly #unfinished: (() => Promise<void>)[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /** A peer leaves on purpose, without a grace period. `at` is ISO 8601. Never throws: after an error it is retried. */
  async leave(membership: RoomMembership, ctx: MessagingContext, at: string): Promise<void> {
    await this.#runOrRetry(() => this.#leave(membership, ctx, at));
  }

  async #leave(membership: RoomMembership, ctx: MessagingContext, at: string): Promise<void> {
    const { room } = membership;
    await asJob(this.#context, room, async (tx, afterCommit) => {
      // Locks the visit first, in the same order as Subscribe.
      await lockVisit(tx, room.company_id, room.appointment_id);
      const ended = await endAttendance(tx, membership.attendanceId, at);
      if (!ended) return;
      await stopRunOf(tx, room.appointment_id, membership.sender.peerId, at);
      auditHubCall(tx, ctx, {
        caller: membership.caller,
        appointmentId: room.appointment_id,
        action: 'Unsubscribe',
        at,
      });
      const change = await refreshVisit(tx, room.company_id, room.appointment_id, at);
      afterCommit(() => this.#announceLeft(membership, change));
    });
  }

  /**
   * Call when a connection has closed. A deliberate close ends its attendances and notifies the others immediately. After a
   * lost connection they are notified when the grace period is over.
   */
  async disconnected(ctx: MessagingContext, reason: DisconnectReason): Promise<void> {
    // Clients reconnect to another instance. The sweep ends the attendances of those that do not.
    if (reason === 'shutdown') return;
    const { lastSeen } = ctx;
    const at = new Date(lastSeen).toISOString();
    // Part of the grace period may be over: the hub keeps a broken connection for a while (stateful reconnect).
    const remainingMs = Math.max(0, gracePeriodMs - (this.#context.clock.now() - lastSeen));
    for (const membership of [...membershipsOf(ctx).values()]) {
      if (reason === 'client-stop' || reason === 'auth') {
        await this.leave(membership, ctx, at);
        continue;
      }
      await this.#runOrRetry(async () => {
        await asJob(this.#context, membership.room, (tx) => endAttendance(tx, membership.attendanceId, at));
        this.#startGracePeriod(membership, remainingMs);
      });
    }
  }

  /** Starts the grace period. Call after the attendance has ended: an open one means that the peer is back. */
  #startGracePeriod(membership: RoomMembership, ms: number): void {
    const cancel = this.#context.clock.after(ms, () => {
      this.#pending.delete(cancel);
      void this.#runOrRetry(() => this.#endGracePeriod(membership));
    });
    this.#pending.add(cancel);
  }

  /** Runs work. After an error `retryUnfinished` runs it again. */
  async #runOrRetry(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#unfinished.push(work);
      this.#context.log.warn(
        { error: (error as { code?: string }).code },
        'a peer that left could not be recorded; it will be retried',
      );
    }
  }

  /** Runs again what failed. Called before each sweep. */
  async retryUnfinished(): Promise<void> {
    for (const work of this.#unfinished.splice(0)) await this.#runOrRetry(work);
  }

  close(): void {
    for (const cancel of this.#pending) cancel();
  }

  /** Ends the grace period. A peer with a new attendance has come back: then nothing is sent. */
  async #endGracePeriod(membership: RoomMembership): Promise<void> {
    const now = isoNow(this.#context.clock);
    const { room, sender } = membership;
    await asJob(this.#context, room, async (tx, afterCommit) => {
      // A peer that enters now is back, or is announced after this.
      await lockVisit(tx, room.company_id, room.appointment_id);
      const isBack = await hasAttendance(tx, room.appointment_id, sender.peerId);
      if (isBack) return;
      const change = await refreshVisit(tx, room.company_id, room.appointment_id, now);
      afterCommit(() => this.#announceLeft(membership, change));
    });
  }

  #announceLeft(membership: RoomMembership, change: VisitChange): void {
    const { room, sender } = membership;
    const { push } = this.#context;
    const message = { type: messageType.userLeft, session: room.appointment_uid } as const;
    push.room(room.appointment_uid, message, sender);
    if (change.patientLeft) push.staffOf(room.company_id, change.doctorId, message, sender);
    else notifyStaff(this.#context, room, change);
    pushWaitEnded(this.#context, room.appointment_uid, change);
  }
}

/** Makes the pages of staff outside the room read presence again. Type 0 announces an arrival (mark-arrived.ts). */
export function notifyStaff({ push }: Context, room: Room, change: VisitChange): void {
  if (!change.patientCame && !change.patientLeft && !change.providerChanged) return;
  const message = { type: messageType.presenceChanged, session: room.appointment_uid } as const;
  push.staffOf(room.company_id, change.doctorId, message, systemSender);
}

/** Makes the pages in the room read the visit again when what was said about the wait has ended. Call after the commit. */
export function pushWaitEnded({ push }: Pick<Context, 'push'>, uid: string, { waitEnded }: VisitChange): void {
  if (waitEnded) pushVisitChanged(push, uid, systemSender);
}
