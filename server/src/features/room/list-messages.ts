import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { type ChatMessage, listMessages as call } from '@roomside/contract/room/calls.ts';
import { forPeers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';
import { guestOf } from './guest-of.ts';
import { findRoom } from './visit-rows.ts';

/** A room shows the newest messages up to this number. */
const maxMessages = 1000;

/** CALL-8: the chat of a room, oldest first. */
export const listMessages = forPeers(call, async ({ context, caller, params, tx, touched }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  touched('appointmentId', room.appointment_id);
  const rows = await tx
    .selectFrom('chat_messages as m')
    .leftJoin('users as u', 'u.user_id', 'm.user_id')
    .leftJoin('visit_guests as g', 'g.guest_id', 'm.guest_id')
    .innerJoin('patients as p', 'p.patient_id', 'm.patient_id')
    .select([
      'm.message_id',
      'm.key',
      'm.author',
      'm.user_id',
      'm.patient_id',
      'm.guest_id',
      'g.name as guest_name',
      'g.role as guest_role',
      'm.payload',
      'm.occurred_at',
      'u.first_name',
      'u.last_name',
      'p.first_name as patient_first',
      'p.last_name as patient_last',
    ])
    .where('m.appointment_id', '=', room.appointment_id)
    .orderBy('m.message_id', 'desc')
    .limit(maxMessages)
    .execute();
  const data: ChatMessage[] = [];
  for (const row of rows.toReversed()) {
    const fromStaff = row.user_id !== null;
    const guest = guestOf(row);
    const fromPatient = !fromStaff && !guest;
    const place = sealedPlaces.chat(room.appointment_id, row.author, row.key);
    data.push({
      type: 1,
      session: room.appointment_uid,
      messageId: row.message_id,
      key: row.key,
      userId: row.user_id,
      patientId: fromPatient ? row.patient_id : null,
      user: fromStaff ? { firstName: row.first_name ?? '', lastName: row.last_name ?? '' } : null,
      patient: fromPatient ? { firstName: row.patient_first, lastName: row.patient_last } : null,
      ...(guest && { guest }),
      payload: await openTextOrSay(tx, context, room.company_id, row.payload, place),
      date: row.occurred_at,
    });
  }
  return { data };
});
