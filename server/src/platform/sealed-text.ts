import type { Tx } from './database/database.ts';
import { keyIdOf, openBytes, sealBytes } from './envelope.ts';
import type { Keys } from './keys.ts';

/** Where sealed texts stand. A text opens in its own place only: table, column and what names the row for good. */
export const sealedPlaces = {
  code: (appointmentUid: string) => `appointments.code_cipher ${appointmentUid}`,
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
