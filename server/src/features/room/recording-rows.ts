import { messageType } from '@roomside/contract/room/messages.ts';
import type { RecordingState } from '@roomside/contract/room/recording-calls.ts';
import { sql } from 'kysely';
import { peerIdOf, type RoomCaller, senderOf } from '../../platform/caller.ts';
import type { Push } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hasAttendance, lockVisit, type Room } from './visit-rows.ts';

/**
 * How long a recording goes on without its device: a reload takes a few seconds. Shorter than the time after which others see that a
 * device without a connection has left, so that they read that the recording is off.
 */
const graceSeconds = 10;

/** More than a run has answers: in the order of changes, its start is after all answers before it. */
const moreThanAnswers = 1_000_000;

/** Returns the latest recording of a room. One whose device has left the room is off. */
export async function readRecordingState(tx: Tx, appointmentId: number, now: string): Promise<RecordingState> {
  const run = await tx
    .selectFrom('recording_runs as r')
    .innerJoin('users as u', 'u.user_id', 'r.by_user_id')
    .leftJoin('visits as v', 'v.appointment_id', 'r.appointment_id')
    .select(['r.run_id', 'r.peer_id', 'r.started_at', 'r.stopped_at', 'u.first_name', 'u.last_name', 'v.recorded'])
    .select(
      sql<number>`(select count(*)::int from recording_consents c
        where c.appointment_id = r.appointment_id and c.run_id = r.run_id)`.as('answered'),
    )
    .select(({ exists, selectFrom, and }) =>
      and([
        sql<boolean>`r.stopped_at is null`,
        exists(
          selectFrom('peers as p')
            .select('p.attendance_id')
            .whereRef('p.appointment_id', '=', 'r.appointment_id')
            .whereRef('p.peer_id', '=', 'r.peer_id')
            .where(
              sql<boolean>`coalesce(p.left_at > ${now}::timestamptz - make_interval(secs => ${graceSeconds}), true)`,
            ),
        ),
      ]).as('is_open'),
    )
    .where('r.appointment_id', '=', appointmentId)
    .orderBy('r.run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!run) return { status: 'off', runId: 0, change: 0, peerId: '', name: '', answers: [], recorded: false };
  const answers = await tx
    .selectFrom('recording_consents as c')
    .leftJoin('users as u', 'u.user_id', 'c.user_id')
    .leftJoin('visit_guests as g', 'g.guest_id', 'c.guest_id')
    .innerJoin('patients as p', 'p.patient_id', 'c.patient_id')
    .distinctOn('c.peer_id')
    .select(['c.peer_id', 'c.stream_id', 'c.allowed', 'u.first_name', 'u.last_name'])
    .select(['p.first_name as patient_first', 'p.last_name as patient_last', 'g.name as guest_name'])
    .where('c.appointment_id', '=', appointmentId)
    .where('c.run_id', '=', run.run_id)
    .orderBy('c.peer_id')
    .orderBy('c.consent_id', 'desc')
    .execute();
  return {
    status: !run.is_open ? 'off' : run.started_at === null ? 'asking' : 'running',
    runId: run.run_id,
    change: (run.stopped_at ? 2 : run.started_at ? 1 : 0) * moreThanAnswers + run.answered,
    peerId: run.peer_id,
    name: `${run.first_name} ${run.last_name}`,
    answers: answers.map((row) => ({
      peerId: row.peer_id,
      name: row.guest_name ?? `${row.first_name ?? row.patient_first} ${row.last_name ?? row.patient_last}`,
      streamId: row.stream_id,
      allowed: row.allowed,
    })),
    recorded: run.recorded ?? false,
  };
}

/** Sends a new state to everyone in the room. Call after the commit. */
export function pushRecording(push: Push, room: Room, recording: RecordingState, caller: RoomCaller): void {
  const message = { type: messageType.recordingChanged, session: room.appointment_uid, recording } as const;
  push.room(room.appointment_uid, message, senderOf(caller));
}

/**
 * Locks the recordings of a room for a change by a device that is in it, and returns the device's peer id.
 *
 * @throws Refusal `not-in-room`
 */
export async function lockRecording(tx: Tx, room: Room, caller: RoomCaller): Promise<string> {
  await lockVisit(tx, room.company_id, room.appointment_id);
  const peerId = peerIdOf(caller);
  if (!(await hasAttendance(tx, room.appointment_id, peerId))) throw new Refusal('not-in-room');
  return peerId;
}

/** Starts to record if every other device in the room has allowed it, by its latest answer. Otherwise does nothing. */
export async function beginWhenAllowed(tx: Tx, appointmentId: number, now: string): Promise<void> {
  const begun = await tx
    .updateTable('recording_runs as r')
    .set({ started_at: now })
    .where('r.appointment_id', '=', appointmentId)
    .where('r.started_at', 'is', null)
    .where('r.stopped_at', 'is', null)
    .where(
      sql<boolean>`not exists (select from peers p
        where p.appointment_id = r.appointment_id and p.left_at is null and p.peer_id <> r.peer_id
          and not coalesce((select c.allowed from recording_consents c
            where c.appointment_id = r.appointment_id and c.run_id = r.run_id and c.peer_id = p.peer_id
            order by c.consent_id desc limit 1), false))`,
    )
    .returning('r.run_id')
    .executeTakeFirst();
  if (begun)
    await tx.updateTable('visits').set({ recorded: true }).where('appointment_id', '=', appointmentId).execute();
}

/** Stops the recording of a room, or the question. */
export async function stopRun(tx: Tx, appointmentId: number, now: string): Promise<void> {
  await tx
    .updateTable('recording_runs')
    .set({ stopped_at: now })
    .where('appointment_id', '=', appointmentId)
    .where('stopped_at', 'is', null)
    .execute();
}

/** Stops the recording that a device makes, because it leaves the room on purpose. */
export async function stopRunOf(tx: Tx, appointmentId: number, peerId: string, now: string): Promise<void> {
  await tx
    .updateTable('recording_runs')
    .set({ stopped_at: now })
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .where('stopped_at', 'is', null)
    .execute();
}
