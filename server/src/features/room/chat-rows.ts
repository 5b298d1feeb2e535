import type { ChatMessage } from '@roomside/contract/room/calls.ts';
import { messageType, type Sender } from '@roomside/contract/room/messages.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import type { Room } from './visit-rows.ts';

interface NewMessage {
  room: Room;
  sender: Sender;
  /** Chosen by the client. A message with a key that is stored already is a retry. */
  key: string;
  payload: string;
  now: string;
}

/** Stores a message. When the key is stored already, returns that message's id and `isNew` false. */
export async function storeMessage(
  tx: Tx,
  keys: Keys,
  message: NewMessage,
): Promise<{ messageId: number; isNew: boolean }> {
  const { room, sender, key, payload, now } = message;
  const author = authorOf(sender);
  const place = sealedPlaces.chat(room.appointment_id, author, key);
  const sealed = await sealText(tx, keys, { companyId: room.company_id, now }, payload, place);
  const stored = await tx
    .insertInto('chat_messages')
    .values({
      company_id: room.company_id,
      appointment_id: room.appointment_id,
      patient_id: room.patient_id,
      user_id: sender.userId,
      guest_id: sender.guest?.guestId ?? null,
      author,
      key,
      payload: sealed,
      occurred_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('message_id')
    .executeTakeFirst();
  if (stored) return { messageId: stored.message_id, isNew: true };
  const known = await tx
    .selectFrom('chat_messages')
    .select('message_id')
    .where('appointment_id', '=', room.appointment_id)
    .where('author', '=', author)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return { messageId: known.message_id, isNew: false };
}

function authorOf({ userId, patientId, guest }: Sender): string {
  if (guest) return `G_${guest.guestId}`;
  return userId === null ? `P_${patientId}` : `U_${userId}`;
}

/** The message as the other peers in the room receive it. */
export function chatMessage({ room, sender, key, payload, now }: NewMessage, messageId: number): ChatMessage {
  const name = { firstName: sender.firstName, lastName: sender.lastName };
  return {
    type: messageType.chat,
    session: room.appointment_uid,
    messageId,
    key,
    userId: sender.userId,
    patientId: sender.patientId,
    user: sender.userId === null ? null : name,
    patient: sender.patientId === null ? null : name,
    ...(sender.guest && { guest: sender.guest }),
    payload,
    date: now,
  };
}
