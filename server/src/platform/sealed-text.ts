import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { keyIdOf, openBytes, sealBytes, UnreadableValue } from './envelope.ts';
import type { Keys } from './keys.ts';

/** The places of sealed texts: table, column and an unchanging key of the row. A text opens in its own place only. */
export const sealedPlaces = {
  code: (appointmentUid: string) => `appointments.code_cipher ${appointmentUid}`,
  notes: (appointmentUid: string) => `appointments.notes ${appointmentUid}`,
  cancellationNotes: (appointmentUid: string) => `appointments.cancellation_notes ${appointmentUid}`,
  /** By author and key, since a merge may change the message's patient. */
  chat: (appointmentId: number, author: string, key: string) =>
    `chat_messages.payload ${appointmentId}/${author}/${key}`,
  guestLink: (guestUid: string) => `visit_guests.link_cipher ${guestUid}`,
  guestContact: (guestUid: string) => `visit_guests.contact ${guestUid}`,
  fileName: (fileUid: string) => `files.name ${fileUid}`,
  /** The secret key at the company's payment processor. */
  paymentPassword: (companyId: number) => `companies.payment_password ${companyId}`,
  paymentWebhook: (companyId: number) => `companies.payment_webhook ${companyId}`,
  importFileName: (fileUid: string) => `imports.file_name ${fileUid}`,
  /** The first wrong values of a file. */
  importProblems: (fileUid: string) => `imports.problems ${fileUid}`,
  /** The values of a patient before an import. */
  importChange: (importId: number, patientId: number) => `import_changes.before ${importId}/${patientId}`,
  externalCalendar: (userId: number) => `external_calendars.address ${userId}`,
  /** The contact and the code of a booking. */
  confirmation: (holdUid: string) => `holds.confirmation ${holdUid}`,
} as const;

/** An empty text is stored as no bytes. */
const empty = Buffer.alloc(0);

/** Seals a text by the company's current key, for a column of type bytea. */
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
 * Opens the text of a sealed column.
 *
 * @throws UnreadableValue when it was changed or moved, or its key was deleted
 */
export async function openText(tx: Tx, keys: Keys, companyId: number, sealed: Buffer, place: string): Promise<string> {
  if (sealed.length === 0) return '';
  return openBytes(await keys.data.byId(tx, companyId, keyIdOf(sealed)), sealed, place).toString('utf8');
}

/** Shown in place of a text that cannot be read. */
export const unreadableText = 'This text can’t be read anymore. Please tell your administrator.';

/** Like openText, but returns {@link unreadableText} and logs the place when the text cannot be read. */
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
