import { writeToPatient as call } from '@roomside/contract/waiting-room/calls.ts';
import { senderOf } from '../../platform/caller.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { lockWaiting } from '../waiting-room/waiting-visit.ts';
import { chatMessage, storeMessage } from './chat-rows.ts';
import { findRoom } from './visit-rows.ts';

/** Stores a message of the visit's chat and shows it to the waiting patient. */
export const writeToPatient = forStaff(
  call,
  async ({ context, caller, params, body, tx, afterCommit, now, touched }) => {
    refuseCardNumbers({ payload: body.payload });
    const { appointment_id, appointment_uid } = await lockWaiting(tx, caller, params.uid);
    touched('appointmentId', appointment_id);
    const room = await findRoom(tx, caller, appointment_uid);
    if (!room) throw notFound();
    const sender = senderOf(caller);
    const message = { room, sender, key: body.key, payload: body.payload.trim(), now };
    const { messageId, isNew } = await storeMessage(tx, context.keys, message);
    if (isNew) afterCommit(() => context.push.room(appointment_uid, chatMessage(message, messageId), sender));
    return messageId;
  },
);
