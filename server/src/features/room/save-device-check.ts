import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { saveDeviceCheck as call } from '@roomside/contract/waiting-room/calls.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { patientSender } from '../notifications/mark-arrived.ts';
import { findRoom } from './visit-rows.ts';

/** The staff's pages read the waiting room again at each change, so a patient's page cannot change it more often. Milliseconds. */
const minIntervalMs = 500;
const parts = ['camera', 'microphone', 'speaker', 'connection'] as const;

/** Stores what the check of a patient's device has found; staff see it in the waiting room. */
export const saveDeviceCheck = forPatient(
  call,
  async ({ context, caller, params, body, tx, afterCommit, now, touched }) => {
    const room = await findRoom(tx, caller, normalizeUid(params.uid));
    if (!room) throw notFound();
    const { appointment_id, appointment_uid, company_id, doctor_id, patient_id } = room;
    touched('appointmentId', appointment_id);
    const before = await tx
      .selectFrom('device_checks')
      .select(['camera', 'microphone', 'speaker', 'connection', 'checked_at'])
      .where('appointment_id', '=', appointment_id)
      .forUpdate()
      .executeTakeFirst();
    if (before && parts.every((part) => before[part] === body[part])) return undefined;
    if (before && Date.parse(now) - Date.parse(before.checked_at) < minIntervalMs)
      throw new Refusal('too-many', { retryAfter: 1 });
    const found = { ...body, checked_at: now };
    await tx
      .insertInto('device_checks')
      .values({ appointment_id, company_id, patient_id, ...found })
      .onConflict((conflict) => conflict.column('appointment_id').doUpdateSet(found))
      .execute();
    const message = { type: messageType.presenceChanged, session: appointment_uid } as const;
    afterCommit(() => context.push.staffOf(company_id, doctor_id, message, patientSender(patient_id, caller)));
    return undefined;
  },
);
