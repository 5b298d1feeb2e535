import { maxPhotoBytes, maxPhotosOfVisit } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { uploadPhoto as call } from '@roomside/contract/photos/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { sql } from 'kysely';
import { type PatientCaller, type StaffCaller, senderOf } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forRoomUpload } from '../../platform/http/handler.ts';
import { storeUpload } from '../../platform/http/store-upload.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { lockForRecord } from '../records/lock-for-record.ts';
import { findRoom, type Room } from '../room/visit-rows.ts';

const mediaType = 'image/jpeg';

/** CALL-12. The first picture of a request is stored; a later one of the same key is dropped. */
export const uploadPhoto = forRoomUpload(call, async ({ context, query, upload, now, look, commit, touched }) => {
  const session = normalizeUid(query.session);
  const companyId = await look(async (tx, caller) => {
    const room = await roomOf(tx, caller, session);
    if (caller.kind === 'patient') {
      await requireBothPresent(tx, room);
      await requireFewPhotos(tx, room);
    }
    return room.company_id;
  });
  return storeUpload(
    context.blobs,
    upload,
    { companyId, maxBytes: maxPhotoBytes, mediaType },
    ({ uid, size, sha256 }) =>
      commit(async (tx, caller, afterCommit) => {
        const room = await roomOf(tx, caller, session);
        const { appointment_id } = room;
        const { patientId: patient_id } = await lockForRecord(tx, { appointment_id });
        if (caller.kind === 'patient') {
          await lockPhotos(tx, room);
          await requireFewPhotos(tx, room);
        }
        touched('appointmentId', appointment_id);
        touched('patientId', patient_id);
        const { numInsertedOrUpdatedRows: inserted } = await tx
          .insertInto('photos')
          .values({
            company_id: companyId,
            appointment_id,
            patient_id,
            file_uid: uid,
            request_key: query.key,
            size,
            content_hash: context.keys.mac('body', sha256),
            by_user_id: caller.kind === 'staff' ? caller.userId : null,
            uploaded_at: now,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (inserted === 0n) return { fileUid: null };
        touched('fileUid', uid);
        afterCommit(() => {
          const message = { type: messageType.pictureTaken, session, key: query.key } as const;
          context.push.roomWithoutGuests(session, message, senderOf(caller));
        });
        return { fileUid: uid };
      }),
  );
});

async function roomOf(tx: Tx, caller: StaffCaller | PatientCaller, uid: string): Promise<Room> {
  const room = await findRoom(tx, caller, uid);
  if (!room) throw notFound();
  return room;
}

/** ROLE-2: patients upload nothing themselves; their device does while staff are with them. */
async function requireBothPresent(tx: Tx, { appointment_id }: Room): Promise<void> {
  const visit = await tx
    .selectFrom('visits')
    .select(['patient_present_at', 'provider_present_at'])
    .where('appointment_id', '=', appointment_id)
    .executeTakeFirst();
  if (!visit?.patient_present_at || !visit.provider_present_at) throw new Refusal('not-together');
}

/** Of simultaneous uploads of a visit, each counts those before it. */
async function lockPhotos(tx: Tx, { appointment_id }: Room): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`photos ${appointment_id}`}, 0))`.execute(tx);
}

/** In the transaction of a patient. */
async function requireFewPhotos(tx: Tx, { appointment_id }: Room): Promise<void> {
  const { rows } = await sql<{ count: number }>`select own_photos(${appointment_id}) as count`.execute(tx);
  if ((rows[0]?.count ?? 0) >= maxPhotosOfVisit) throw new Refusal('too-many-photos');
}
