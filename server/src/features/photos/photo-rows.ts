import type { Photo } from '@roomside/contract/photos/calls.ts';
import { downloadPhoto } from '@roomside/contract/photos/calls.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { signAddress } from '../../platform/http/signed-address.ts';

interface PhotoRow {
  readonly file_id: number;
  readonly file_uid: string;
  readonly patient_id: number;
  readonly uploaded_at: string;
}

/** The photos of patients who are not archived. */
export const photoRows = (tx: Tx) =>
  tx
    .selectFrom('photos as f')
    .innerJoin('patients as p', 'p.patient_id', 'f.patient_id')
    .select(['f.file_id', 'f.file_uid', 'f.patient_id', 'f.uploaded_at'])
    .where('p.archived_at', 'is', null);

/** ENTITY-9, as `caller` sees it. */
export function photoOf(context: Context, caller: StaffCaller, row: PhotoRow): Photo {
  return {
    fileId: row.file_id,
    fileUid: row.file_uid,
    name: photoName(row.uploaded_at, caller.timeZone),
    uploaded: row.uploaded_at,
    patientId: row.patient_id,
    address: signAddress(context, downloadPhoto, { fileUid: row.file_uid }, caller),
  };
}

/** The name of a photo: its time in the clinic's zone, and nothing of the patient. */
export function photoName(uploaded: string, timeZone: string): string {
  const time = new Date(uploaded).toLocaleString('sv-SE', { timeZone }).replaceAll(':', '.');
  return `Photo ${time}.jpg`;
}
