import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import {
  answerRecording as answerCall,
  getRecordingState as getCall,
  startRecording as startCall,
  stopRecording as stopCall,
} from '@roomside/contract/room/recording-calls.ts';
import type { RoomCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forPeers, forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { beginWhenAllowed, lockRecording, pushRecording, readRecordingState, stopRun } from './recording-rows.ts';
import { findRoom, lockVisit, type Room } from './visit-rows.ts';

async function roomOf(tx: Tx, caller: RoomCaller, uid: string): Promise<Room> {
  const room = await findRoom(tx, caller, normalizeUid(uid));
  if (!room) throw notFound();
  return room;
}

/** STATE-18. */
export const getRecordingState = forPeers(getCall, async ({ caller, params, tx, now, touched }) => {
  const { appointment_id: appointmentId } = await roomOf(tx, caller, params.uid);
  touched('appointmentId', appointmentId);
  return readRecordingState(tx, appointmentId, now);
});

/** ROLE-3, STATE-18. A recording of a device that has left the room ends. */
export const startRecording = forStaff(
  startCall,
  async ({ context, caller, params, tx, now, touched, afterCommit }) => {
    const room = await roomOf(tx, caller, params.uid);
    const { appointment_id: appointmentId, company_id: companyId, patient_id: patientId } = room;
    touched('appointmentId', appointmentId);
    const company = await tx
      .selectFrom('companies')
      .select('allow_recording')
      .where('company_id', '=', companyId)
      .executeTakeFirst();
    if (!company?.allow_recording) throw new Refusal('recording-off');
    const peerId = await lockRecording(tx, room, caller);
    const before = await readRecordingState(tx, appointmentId, now);
    const isOwn = before.peerId === peerId;
    if (before.status !== 'off' && !isOwn) throw new Refusal('already-recording');
    if (before.status === 'off') {
      await stopRun(tx, appointmentId, now);
      const ids = { company_id: companyId, appointment_id: appointmentId, patient_id: patientId };
      await tx
        .insertInto('recording_runs')
        .values({ ...ids, by_user_id: caller.userId, peer_id: peerId, asked_at: now })
        .execute();
    }
    await beginWhenAllowed(tx, appointmentId, now);
    const state = await readRecordingState(tx, appointmentId, now);
    afterCommit(() => pushRecording(context.push, room, state, caller));
    return state;
  },
);

/** ROLE-3. Staff who may record may also stop the recording of another device. */
export const stopRecording = forStaff(stopCall, async ({ context, caller, params, tx, now, touched, afterCommit }) => {
  const room = await roomOf(tx, caller, params.uid);
  touched('appointmentId', room.appointment_id);
  await lockVisit(tx, room.company_id, room.appointment_id);
  await stopRun(tx, room.appointment_id, now);
  const state = await readRecordingState(tx, room.appointment_id, now);
  afterCommit(() => pushRecording(context.push, room, state, caller));
  return state;
});

/** Stores the answer of a device. One to an earlier question, or to one that was stopped, changes nothing. */
export const answerRecording = forPeers(
  answerCall,
  async ({ context, caller, params, body, tx, now, touched, afterCommit }) => {
    const room = await roomOf(tx, caller, params.uid);
    const { appointment_id: appointmentId, company_id: companyId, patient_id: patientId } = room;
    touched('appointmentId', appointmentId);
    const peerId = await lockRecording(tx, room, caller);
    const before = await readRecordingState(tx, appointmentId, now);
    if (before.status === 'off' || before.runId !== body.runId) return before;
    const ids = { company_id: companyId, appointment_id: appointmentId, patient_id: patientId, run_id: body.runId };
    const userId = caller.kind === 'staff' ? caller.userId : null;
    const guestId = caller.kind === 'guest' ? caller.guestId : null;
    const answer = { stream_id: body.streamId, allowed: body.allowed, answered_at: now };
    await tx
      .insertInto('recording_consents')
      .values({ ...ids, ...answer, peer_id: peerId, user_id: userId, guest_id: guestId })
      .execute();
    if (body.allowed) await beginWhenAllowed(tx, appointmentId, now);
    else if (before.status === 'asking') await stopRun(tx, appointmentId, now);
    const state = await readRecordingState(tx, appointmentId, now);
    afterCommit(() => pushRecording(context.push, room, state, caller));
    return state;
  },
);
