import { sql } from 'kysely';
import type { PatientCaller, StaffCaller } from '../../platform/caller.ts';
import { peerIdOf } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type Attendance, presentSince, visitTime } from './visit-time.ts';

/** The room of an appointment, as entering it needs it. */
export async function findRoom(tx: Tx, caller: StaffCaller | PatientCaller, uid: string) {
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
  // A patient reaches the rooms of his own visits (row-level security would find no others either).
  if (!room || (caller.kind === 'patient' && room.patient_id !== caller.patientId)) return null;
  return room;
}

export type Room = NonNullable<Awaited<ReturnType<typeof findRoom>>>;

/** Where a peer is connected. */
export interface Place {
  connectionId: string;
  instanceId: string;
}

/**
 * Begins a stay, ending the one that this peer may still have: at its instance's last beat when that is another one (it
 * died), else now. Answers the new stay, and the connection that was replaced.
 */
export async function beginAttendance(
  tx: Tx,
  caller: StaffCaller | PatientCaller,
  room: Room,
  place: Place,
  now: string,
): Promise<{ stayId: number; replaced: string | null }> {
  const peer_id = peerIdOf(caller);
  const old = await tx
    .updateTable('peers as p')
    .set({
      left_at: sql`case when p.instance_id = ${place.instanceId} then ${now}::timestamptz
        else greatest(p.joined_at, (select i.heartbeat_at from instances i where i.instance_id = p.instance_id)) end`,
    })
    .where('p.appointment_id', '=', room.appointment_id)
    .where('p.peer_id', '=', peer_id)
    .where('p.left_at', 'is', null)
    .returning(['p.connection_id'])
    .executeTakeFirst();
  const { stay_id } = await tx
    .insertInto('peers')
    .values({
      company_id: room.company_id,
      appointment_id: room.appointment_id,
      patient_id: room.patient_id,
      peer_id,
      role_id: caller.role,
      user_id: caller.kind === 'staff' ? caller.userId : null,
      connection_id: place.connectionId,
      instance_id: place.instanceId,
      joined_at: now,
    })
    .returning('stay_id')
    .executeTakeFirstOrThrow();
  const isOther = old !== undefined && old.connection_id !== place.connectionId;
  return { stayId: stay_id, replaced: isOther ? old.connection_id : null };
}

/** Ends a stay; false when it was over already. */
export async function endAttendance(tx: Tx, stayId: number, at: string): Promise<boolean> {
  const ended = await tx
    .updateTable('peers')
    .set({ left_at: sql`greatest(joined_at, ${at}::timestamptz)` })
    .where('stay_id', '=', stayId)
    .where('left_at', 'is', null)
    .returning('stay_id')
    .execute();
  return ended.length > 0;
}

/** What a change of presence means for those outside. */
export interface VisitChange {
  /** Whose patient it is now; an appointment may have changed hands while its room was open. */
  doctorId: number;
  patientCame: boolean;
  patientLeft: boolean;
  providerChanged: boolean;
}

/**
 * Works out presence, duration and waiting time of a visit from its stays, and stores them. The appointment's row is
 * locked, so that two who come and go at once do not overwrite each other.
 */
export async function refreshVisit(
  tx: Tx,
  companyId: number,
  appointmentId: number,
  now: string,
): Promise<VisitChange> {
  const visit = await lockVisit(tx, companyId, appointmentId);
  const stays = await tx
    .selectFrom('peers')
    .select(['role_id', 'joined_at', 'left_at'])
    .where('appointment_id', '=', appointmentId)
    .orderBy('joined_at')
    .execute();
  const spans = stays.map(
    (stay): Attendance => ({
      side: stay.role_id === 'P' ? 'patient' : 'staff',
      from: Date.parse(stay.joined_at),
      to: stay.left_at === null ? null : Date.parse(stay.left_at),
    }),
  );
  const patientSince = presentSince(spans, 'patient');
  const providerSince = presentSince(spans, 'staff');
  const patientHere = patientSince !== null;
  const providerHere = providerSince !== null;
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  // A short drop neither announces the patient again nor begins the waiting anew.
  const announced = visit.announced_at !== null && (!patientHere || Date.parse(visit.announced_at) >= patientSince);
  const { duration, waited } = visitTime(spans, Date.parse(now));
  await tx
    .updateTable('visits')
    .set({
      patient_present_at: iso(patientSince),
      provider_present_at: iso(providerSince),
      first_arrived_at: visit.first_arrived_at ?? iso(patientSince),
      announced_at: announced ? visit.announced_at : null,
      no_camera: announced && visit.no_camera,
      provider_came: visit.provider_came || providerHere,
      duration,
      waited,
    })
    .where('appointment_id', '=', appointmentId)
    .execute();
  return {
    doctorId: visit.doctor_id,
    patientCame: patientHere && visit.patient_present_at === null,
    patientLeft: !patientHere && visit.patient_present_at !== null,
    providerChanged: providerHere !== (visit.provider_present_at !== null),
  };
}

/** Locks the visit of an appointment, making its row when this is the first anybody hears of it. */
export async function lockVisit(tx: Tx, companyId: number, appointmentId: number) {
  await tx
    .insertInto('visits')
    .columns(['appointment_id', 'company_id', 'patient_id', 'doctor_id'])
    .expression((eb) =>
      eb
        .selectFrom('appointments')
        .select(['appointment_id', 'company_id', 'patient_id', 'doctor_id'])
        .where('appointment_id', '=', appointmentId)
        .where('company_id', '=', companyId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('visits')
    .select([
      'doctor_id',
      'patient_present_at',
      'provider_present_at',
      'first_arrived_at',
      'announced_at',
      'no_camera',
      'provider_came',
    ])
    .where('appointment_id', '=', appointmentId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Whether this peer is in the room. */
export async function hasAttendance(tx: Tx, appointmentId: number, peerId: string): Promise<boolean> {
  const stay = await tx
    .selectFrom('peers')
    .select('stay_id')
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .where('left_at', 'is', null)
    .executeTakeFirst();
  return stay !== undefined;
}

/** Notes that this connection's video runs; true when that is news. */
export async function markReady(tx: Tx, appointmentId: number, connectionId: string): Promise<boolean> {
  const first = await tx
    .updateTable('peers')
    .set({ ready: true })
    .where('appointment_id', '=', appointmentId)
    .where('connection_id', '=', connectionId)
    .where('left_at', 'is', null)
    .where('ready', '=', false)
    .returning('stay_id')
    .executeTakeFirst();
  return first !== undefined;
}

/** Over, once both have met; the patient's link then says so. */
export async function endVisit(tx: Tx, appointmentId: number, now: string): Promise<void> {
  const visit = await tx
    .selectFrom('visits')
    .select(['duration', 'patient_present_at', 'provider_present_at', 'ended_at'])
    .where('appointment_id', '=', appointmentId)
    .forUpdate()
    .executeTakeFirst();
  if (!visit) return;
  const together = visit.patient_present_at && visit.provider_present_at;
  if (visit.duration === 0 && !together) return;
  await tx
    .updateTable('visits')
    .set({ ended_at: visit.ended_at ?? now, closed: true })
    .where('appointment_id', '=', appointmentId)
    .execute();
}

/** Staff have come back to a visit that was over: its patient may, too. */
export async function reopenVisit(tx: Tx, appointmentId: number): Promise<void> {
  await tx.updateTable('visits').set({ closed: false }).where('appointment_id', '=', appointmentId).execute();
}
