import { maxPhotoBytes, maxPhotosOfVisit } from '@roomside/contract/limits.ts';
import { normaliseUid } from '@roomside/contract/normalise-uid.ts';
import { uploadPhoto as call } from '@roomside/contract/photos/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { type PatientCaller, type StaffCaller, senderOf } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forRoomUpload } from '../../platform/http/handler.ts';
import { storeUpload } from '../../platform/http/store-upload.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { findRoom, type Room } from '../room/visit-rows.ts';

const mediaType = 'image/jpeg';

/** CALL-12. The first picture of a request is stored; a later one of the same key is dropped. */
export const uploadPhoto = forRoomUpload(call, async ({ context, query, upload, now, look, commit, touched }) => {
  const session = normaliseUid(query.session);
  const { room, isPatient } = await look(async (tx, caller) => {
    const found = await roomOf(tx, caller, session);
    if (caller.kind === 'patient') await requireBothPresent(tx, found);
    return { room: found, isPatient: caller.kind === 'patient' };
  });
  const companyId = room.company_id;
  if (isPatient) await requireFewPhotos(context, room);
  return storeUpload(
    context.blobs,
    upload,
    { companyId, maxBytes: maxPhotoBytes, mediaType },
    ({ uid, size, sha256 }) =>
      commit(async (tx, caller, afterCommit) => {
        const { appointment_id, patient_id } = await roomOf(tx, caller, session);
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
          context.push.room(session, message, senderOf(caller));
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

/** Patients may not read photos, so that this has its own transaction. */
async function requireFewPhotos({ db }: Context, { company_id, appointment_id }: Room): Promise<void> {
  const { count } = await db.open({ kind: 'job', companyId: company_id }, (tx) =>
    tx
      .selectFrom('photos')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('appointment_id', '=', appointment_id)
      .where('by_user_id', 'is', null)
      .executeTakeFirstOrThrow(),
  );
  if (count >= maxPhotosOfVisit) throw new Refusal('too-many-photos');
}
