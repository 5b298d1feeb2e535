import { noCameraSeconds } from '@roomside/contract/limits.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { arrivalInfo, markArrived, patientSender } from '../waiting-room/mark-arrived.ts';
import { absentPeers } from './peer-rows.ts';
import { lockVisit, refreshVisit } from './visit-rows.ts';

/** An instance that was not heard for so long is dead, ms; three beats. */
const deadAfterMs = 15_000;

/** Registers this process; its peers live as long as it beats (decisions, 4). */
export async function startInstance(context: Context, instanceId: string): Promise<void> {
  const now = isoNow(context.clock);
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.insertInto('instances').values({ instance_id: instanceId, started_at: now, heartbeat_at: now }).execute(),
  );
}

/**
 * Every 5 s: I am here. After a silence that others may have taken for its death it counts as started anew: it cannot say
 * who else was silent meanwhile.
 */
export async function recordHeartbeat(context: Context, instanceId: string): Promise<void> {
  const now = context.clock.now();
  const at = new Date(now).toISOString();
  const deadBefore = new Date(now - deadAfterMs).toISOString();
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

/** At an orderly end: the last beat. Whoever does not come back elsewhere by the time of the sweep has left now. */
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

/** Which of these stays were ended by another process although their people are still here. */
export async function listLostAttendances(context: Context, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ stay_id: number }>`select stay_id from lost_attendances(${ids})`.execute(tx);
    return new Set(rows.map((row) => row.stay_id));
  });
}

/** Ends the stays of dead instances at their last beat, and puts right and tells what a process could not finish. */
export async function sweepRooms(context: Context): Promise<void> {
  const now = context.clock.now();
  const deadBefore = new Date(now - deadAfterMs).toISOString();
  const rooms = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<RoomIds>`select * from rooms_to_sweep(${deadBefore})`.execute(tx);
    return rows;
  });
  await each(context, rooms, async ({ company_id: companyId, appointment_id: appointmentId }) => {
    await context.db.open({ kind: 'job', companyId }, async (tx, afterCommit) => {
      // Whoever enters in this moment queues here, and is not told of as gone.
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
        // Some may have been told of before. Each page asks the other itself before it believes it.
        for (const sender of gone) context.push.room(info.appointmentUid, left, sender);
        const message = change.patientLeft ? left : ({ ...left, type: messageType.presenceChanged } as const);
        context.push.staffOf(companyId, info.doctorId, message, patientSender(patientId, info.patient));
      });
    });
  });
}

/** Announces patients who have been in the room for 20 s without video (decisions, 4). */
export async function announceSilentArrivals(context: Context): Promise<void> {
  const now = context.clock.now();
  const presentBefore = new Date(now - noCameraSeconds * 1000).toISOString();
  const rooms = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<RoomIds>`select * from unannounced_arrivals(${presentBefore})`.execute(tx);
    return rows;
  });
  await each(context, rooms, async ({ company_id: companyId, appointment_id: appointmentId }) => {
    const arrival = { companyId, appointmentId, noCamera: true, now: new Date(now).toISOString() };
    await context.db.open({ kind: 'job', companyId }, (tx, afterCommit) =>
      markArrived(tx, afterCommit, context, arrival),
    );
  });
}

/** One room that cannot be put right must not keep the others waiting. */
async function each(
  context: Context,
  rooms: readonly RoomIds[],
  work: (room: RoomIds) => Promise<void>,
): Promise<void> {
  for (const room of rooms) {
    await work(room).catch((error: { code?: string; name?: string }) => {
      context.log.error({ room, error: error.code ?? error.name }, 'a room could not be looked after');
    });
  }
}
