import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { keyIdOf, openBytes, sealBytes, UnreadableValue } from './envelope.ts';
import type { Keys } from './keys.ts';

/** Where sealed texts stand. A text opens in its own place only: table, column and what names the row for good. */
export const sealedPlaces = {
  code: (appointmentUid: string) => `appointments.code_cipher ${appointmentUid}`,
  notes: (appointmentUid: string) => `appointments.notes ${appointmentUid}`,
  cancellationNotes: (appointmentUid: string) => `appointments.cancellation_notes ${appointmentUid}`,
  /** The author and the key are the message's for good; its patient may be joined with another one. */
  chat: (appointmentId: number, author: string, key: string) =>
    `chat_messages.payload ${appointmentId}/${author}/${key}`,
  /** Where the code of a booking was sent, and what it is. */
  confirmation: (holdUid: string) => `holds.confirmation ${holdUid}`,
} as const;

/** Nothing written is nothing sealed. */
const empty = Buffer.alloc(0);

/** Seals a text with the company's key, for a column of bytes. */
export async function sealText(
  tx: Tx,
  keys: Keys,
  of: { companyId: number; now: string },
  text: string,
  place: string,
): Promise<Buffer> {
  if (text === '') return empty;
  return sealBytes(await keys.data.current(tx, of.companyId, of.now), Buffer.from(text), place);
}

/**
 * The text of a sealed column.
 *
 * @throws UnreadableValue when it was damaged or moved, or its key is gone
 */
export async function openText(tx: Tx, keys: Keys, companyId: number, sealed: Buffer, place: string): Promise<string> {
  if (sealed.length === 0) return '';
  return openBytes(await keys.data.byId(tx, companyId, keyIdOf(sealed)), sealed, place).toString('utf8');
}

/** Stands where a text was that cannot be read. */
export const unreadableText = 'This text can’t be read anymore. Please tell your administrator.';

/** As openText; one that cannot be read hides nothing else: a sentence stands in its place, and the log names the place. */
export async function openTextOrSay(
  tx: Tx,
  { keys, log }: Pick<Context, 'keys' | 'log'>,
  companyId: number,
  sealed: Buffer,
  place: string,
): Promise<string> {
  try {
    return await openText(tx, keys, companyId, sealed, place);
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    log.error({ place }, 'a sealed text cannot be read');
    return unreadableText;
  }
}
