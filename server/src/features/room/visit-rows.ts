import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { peerIdOf, type RoomCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type Attendance, presentSince, visitTime } from './visit-time.ts';

/** Returns the room of an appointment, or null when the caller may not enter it. */
export async function findRoom(tx: Tx, caller: RoomCaller, uid: string) {
  const room = await tx
    .selectFrom('appointments as a')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.company_id',
      'a.patient_id',
      'a.doctor_id',
      'a.starts_at',
      'a.cancelled',
      sql<boolean>`coalesce(v.closed, false)`.as('closed'),
    ])
    .where('a.appointment_uid', '=', uid)
    .where('a.archived_at', 'is', null)
    .executeTakeFirst();
  // Row-level security returns no other patient's rooms either.
  if (!room || (caller.kind === 'patient' && room.patient_id !== caller.patientId)) return null;
  if (caller.kind === 'guest' && room.appointment_id !== caller.appointmentId) return null;
  return room;
}

export type Room = NonNullable<Awaited<ReturnType<typeof findRoom>>>;

/** The connection of a peer, and the instance that holds it. */
export interface PeerConnection {
  connectionId: string;
  instanceId: string;
}

/**
 * Begins an attendance. An open one of the same peer ends: now when it is on this instance, else at the last heartbeat of
 * its instance, which may have died. Returns the new attendance and the connection that was replaced.
 */
export async function beginAttendance(
  tx: Tx,
  caller: RoomCaller,
  room: Room,
  connection: PeerConnection,
  now: string,
): Promise<{ attendanceId: number; replaced: string | null }> {
  const peer_id = peerIdOf(caller);
  const old = await tx
    .updateTable('peers as p')
    .set({
      left_at: sql`case when p.instance_id = ${connection.instanceId} then ${now}::timestamptz
        else greatest(p.joined_at, (select i.heartbeat_at from instances i where i.instance_id = p.instance_id)) end`,
    })
    .where('p.appointment_id', '=', room.appointment_id)
    .where('p.peer_id', '=', peer_id)
    .where('p.left_at', 'is', null)
    .returning(['p.connection_id'])
    .executeTakeFirst();
  const { attendance_id } = await tx
    .insertInto('peers')
    .values({
      company_id: room.company_id,
      appointment_id: room.appointment_id,
      patient_id: room.patient_id,
      peer_id,
      role_id: caller.role,
      user_id: caller.kind === 'staff' ? caller.userId : null,
      guest_id: caller.kind === 'guest' ? caller.guestId : null,
      connection_id: connection.connectionId,
      instance_id: connection.instanceId,
      joined_at: now,
    })
    .returning('attendance_id')
    .executeTakeFirstOrThrow();
  const isOther = old !== undefined && old.connection_id !== connection.connectionId;
  return { attendanceId: attendance_id, replaced: isOther ? old.connection_id : null };
}

/** Ends an attendance. Returns false when it had ended before. */
export async function endAttendance(tx: Tx, attendanceId: number, at: string): Promise<boolean> {
  const ended = await tx
    .updateTable('peers')
    .set({ left_at: sql`greatest(joined_at, ${at}::timestamptz)` })
    .where('attendance_id', '=', attendanceId)
    .where('left_at', 'is', null)
    .returning('attendance_id')
    .execute();
  return ended.length > 0;
}

/** How the presence in a visit has changed; staff outside the room are notified of it. */
export interface VisitChange {
  /** The provider now; the appointment may have been reassigned while its room was open. */
  doctorId: number;
  patientCame: boolean;
  patientLeft: boolean;
  providerChanged: boolean;
  /** What was said about the wait has ended. */
  waitEnded: boolean;
}

/**
 * Computes presence, duration and waiting time of a visit from its attendances, and stores them. Locks the visit's row, so
 * that peers who enter and leave at the same time do not overwrite each other's result.
 */
export async function refreshVisit(
  tx: Tx,
  companyId: number,
  appointmentId: number,
  now: string,
): Promise<VisitChange> {
  const visit = await lockVisit(tx, companyId, appointmentId);
  const rows = await tx
    .selectFrom('peers')
    .select(['role_id', 'joined_at', 'left_at'])
    .where('appointment_id', '=', appointmentId)
    // Guests are on neither side.
    .where('role_id', '<>', 'G')
    .orderBy('joined_at')
    .execute();
  const attendances = rows.map(
    (row): Attendance => ({
      side: row.role_id === 'P' ? 'patient' : 'staff',
      from: Date.parse(row.joined_at),
      to: row.left_at === null ? null : Date.parse(row.left_at),
    }),
  );
  const patientSince = presentSince(attendances, 'patient');
  const providerSince = presentSince(attendances, 'staff');
  const isPatientPresent = patientSince !== null;
  const isProviderPresent = providerSince !== null;
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  // After a short disconnect the patient is not announced again, and the waiting time continues.
  const isAnnounced =
    visit.announced_at !== null && (!isPatientPresent || Date.parse(visit.announced_at) >= patientSince);
  const { duration, waited } = visitTime(attendances, Date.parse(now));
  const isWaiting = isPatientPresent && !isProviderPresent;
  await tx
    .updateTable('visits')
    .set({
      patient_present_at: iso(patientSince),
      provider_present_at: iso(providerSince),
      first_arrived_at: visit.first_arrived_at ?? iso(patientSince),
      announced_at: isAnnounced ? visit.announced_at : null,
      no_camera: isAnnounced && visit.no_camera,
      provider_came: visit.provider_came || isProviderPresent,
      duration,
      waited,
      // What was said about the wait ends with it.
      ...(!isWaiting && { held: false, expected_at: null }),
    })
    .where('appointment_id', '=', appointmentId)
    .execute();
  return {
    doctorId: visit.doctor_id,
    patientCame: isPatientPresent && visit.patient_present_at === null,
    patientLeft: !isPatientPresent && visit.patient_present_at !== null,
    providerChanged: isProviderPresent !== (visit.provider_present_at !== null),
    waitEnded: !isWaiting && (visit.held || visit.expected_at !== null),
  };
}

/**
 * Locks an appointment and its visit, in this order, as all changes do. Creates the visit's row when there is none: it has the provider of the
 * appointment behind the lock.
 */
export async function lockVisit(tx: Tx, companyId: number, appointmentId: number) {
  await tx
    .insertInto('visits')
    .columns(['appointment_id', 'company_id', 'patient_id', 'doctor_id'])
    .expression((eb) =>
      eb
        .selectFrom('appointments')
        .select(['appointment_id', 'company_id', 'patient_id', 'doctor_id'])
        .where('appointment_id', '=', appointmentId)
        .where('company_id', '=', companyId)
        .forNoKeyUpdate(),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('visits')
    .select([
      'doctor_id',
      'duration',
      'ended_at',
      'patient_present_at',
      'provider_present_at',
      'first_arrived_at',
      'announced_at',
      'no_camera',
      'provider_came',
      'held',
      'expected_at',
    ])
    .where('appointment_id', '=', appointmentId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Returns whether this peer is in the room. */
export async function hasAttendance(tx: Tx, appointmentId: number, peerId: string): Promise<boolean> {
  const open = await tx
    .selectFrom('peers')
    .select('attendance_id')
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .where('left_at', 'is', null)
    .executeTakeFirst();
  return open !== undefined;
}

/** How long a person may come back to a room that they could not enter for the first time now, as open_sign_in has it. */
const returnMinutes = 5;

/** Returns whether a user, or a peer, is in the room or left it a moment ago. */
export async function wasJustIn(
  tx: Tx,
  appointmentId: number,
  who: { readonly user_id: number } | { readonly peer_id: string },
  now: string,
): Promise<boolean> {
  const own = await tx
    .selectFrom('peers')
    .select('attendance_id')
    .where('appointment_id', '=', appointmentId)
    .where((eb) => eb.and(who))
    .where((eb) => eb.or([eb('left_at', 'is', null), eb('left_at', '>', addMinutes(now, -returnMinutes))]))
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}

/** Returns when a user first entered a room; null before. */
export async function firstJoin(tx: Tx, appointmentId: number, userId: number): Promise<string | null> {
  const { joined } = await tx
    .selectFrom('peers')
    .select((eb) => eb.fn.min('joined_at').as('joined'))
    .where('appointment_id', '=', appointmentId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return joined;
}

/** Records that this connection's video runs. Returns false when that was recorded before. */
export async function markReady(tx: Tx, appointmentId: number, connectionId: string): Promise<boolean> {
  const first = await tx
    .updateTable('peers')
    .set({ ready: true })
    .where('appointment_id', '=', appointmentId)
    .where('connection_id', '=', connectionId)
    .where('left_at', 'is', null)
    .where('ready', '=', false)
    .returning('attendance_id')
    .executeTakeFirst();
  return first !== undefined;
}

/** Ends a visit in which both sides have met, and closes its room for the patient. Otherwise does nothing and returns false. */
export async function endVisit(tx: Tx, companyId: number, appointmentId: number, now: string): Promise<boolean> {
  const visit = await lockVisit(tx, companyId, appointmentId);
  const areBothPresent = visit.patient_present_at && visit.provider_present_at;
  if (visit.duration === 0 && !areBothPresent) return false;
  await tx
    .updateTable('visits')
    .set({ ended_at: visit.ended_at ?? now, closed: true })
    .where('appointment_id', '=', appointmentId)
    .execute();
  return true;
}

/** Opens a closed room for the patient again, when staff come back to it. */
export async function reopenVisit(tx: Tx, appointmentId: number): Promise<void> {
  await tx.updateTable('visits').set({ closed: false }).where('appointment_id', '=', appointmentId).execute();
}
