import { noCameraSeconds } from '@roomside/contract/limits.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { forAll } from '../../platform/repeat.ts';
import { arrivalInfo, markArrived, patientSender } from '../notifications/mark-arrived.ts';
import { pushWaitEnded } from './leave-tracker.ts';
import { absentPeers } from './peer-rows.ts';
import { lockVisit, refreshVisit } from './visit-rows.ts';

/** An instance without a heartbeat for this long counts as dead: three heartbeats, ms. */
const heartbeatTimeoutMs = 15_000;

/** Registers this process. Its peers count as present as long as it sends heartbeats. */
export async function startInstance(context: Context, instanceId: string): Promise<void> {
  const now = isoNow(context.clock);
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.insertInto('instances').values({ instance_id: instanceId, started_at: now, heartbeat_at: now }).execute(),
  );
}

/**
 * Records that this instance runs, every 5 s. After a gap longer than the timeout it counts as newly started: it may not
 * judge other instances by heartbeats that it did not see.
 */
export async function recordHeartbeat(context: Context, instanceId: string): Promise<void> {
  const now = context.clock.now();
  const at = new Date(now).toISOString();
  const deadBefore = new Date(now - heartbeatTimeoutMs).toISOString();
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx
      .updateTable('instances')
      .set({
        heartbeat_at: at,
        started_at: sql`case when heartbeat_at < ${deadBefore}::timestamptz then ${at}::timestamptz else started_at end`,
      })
      .where('instance_id', '=', instanceId)
      .execute(),
  );
}

/** Records the last heartbeat at shutdown. Peers that reconnect to no other instance before the sweep have left then. */
export async function endInstance(context: Context, instanceId: string): Promise<void> {
  const now = isoNow(context.clock);
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx
      .updateTable('instances')
      .set({ heartbeat_at: now, ended_at: now })
      .where('instance_id', '=', instanceId)
      .execute(),
  );
}

interface RoomIds {
  company_id: number;
  appointment_id: number;
}

/** Returns those of the attendances that another instance has ended although their connections are open here. */
export async function listLostAttendances(context: Context, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ attendance_id: number }>`select attendance_id from lost_attendances(${ids})`.execute(
      tx,
    );
    return new Set(rows.map((row) => row.attendance_id));
  });
}

/**
 * Ends the attendances of dead instances at the time of their last heartbeat, and repairs and announces the visits that a
 * dead instance left inconsistent.
 */
export async function sweepRooms(context: Context): Promise<void> {
  const now = context.clock.now();
  const deadBefore = new Date(now - heartbeatTimeoutMs).toISOString();
  const rooms = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<RoomIds>`select * from rooms_to_sweep(${deadBefore})`.execute(tx);
    return rows;
  });
  await forAll(rooms, async ({ company_id: companyId, appointment_id: appointmentId }) => {
    await context.db.open({ kind: 'job', companyId }, async (tx, afterCommit) => {
      // A peer that enters now waits for this lock, so it is not announced as gone.
      await lockVisit(tx, companyId, appointmentId);
      await sql`update peers p set left_at = greatest(p.joined_at, i.heartbeat_at) from instances i
        where i.instance_id = p.instance_id and p.appointment_id = ${appointmentId} and p.left_at is null
          and i.heartbeat_at < ${deadBefore}
          and exists (select 1 from instances l where l.started_at <= ${deadBefore} and l.heartbeat_at >= ${deadBefore})`.execute(
        tx,
      );
      const change = await refreshVisit(tx, companyId, appointmentId, new Date(now).toISOString());
      const { patientId, ...info } = await arrivalInfo(tx, appointmentId);
      const gone = await absentPeers(tx, appointmentId);
      afterCommit(() => {
        const left = { type: messageType.userLeft, session: info.appointmentUid } as const;
        // Some may have been announced before. A page asks the peer directly before it accepts the message.
        for (const sender of gone) context.push.room(info.appointmentUid, left, sender);
        const message = change.patientLeft ? left : ({ ...left, type: messageType.presenceChanged } as const);
        context.push.staffOf(companyId, info.doctorId, message, patientSender(patientId, info.patient));
        pushWaitEnded(context, info.appointmentUid, change);
      });
    });
  });
}

/** Announces patients who have been in the room for 20 s without video. */
export async function announceSilentArrivals(context: Context): Promise<void> {
  const now = context.clock.now();
  const presentBefore = new Date(now - noCameraSeconds * 1000).toISOString();
  const rooms = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<RoomIds>`select * from unannounced_arrivals(${presentBefore})`.execute(tx);
    return rows;
  });
  await forAll(rooms, async ({ company_id: companyId, appointment_id: appointmentId }) => {
    const arrival = { companyId, appointmentId, noCamera: true, now: new Date(now).toISOString() };
    await context.db.open({ kind: 'job', companyId }, (tx, afterCommit) =>
      markArrived(tx, afterCommit, context, arrival),
    );
  });
}
