import { Readable } from 'node:stream';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { sealedPlaces, sealText } from '../src/platform/sealed-text.ts';

/** Stores a file of an appointment. Returns its uid. */
export async function buildFile(
  context: Context,
  of: { companyId: number; appointmentId: number; patientId: number },
  { name = 'note.txt', content = Buffer.from('text'), mediaType = 'text/plain', shared = false } = {},
): Promise<string> {
  const { companyId } = of;
  const uid = newUid();
  const { size, sha256 } = await context.blobs.put({ companyId, uid }, Readable.from([content]), {
    maxBytes: content.length,
  });
  const now = isoNow(context.clock);
  await context.db.open({ kind: 'job', companyId }, async (tx) =>
    tx
      .insertInto('files')
      .values({
        company_id: companyId,
        appointment_id: of.appointmentId,
        patient_id: of.patientId,
        file_uid: uid,
        name: await sealText(tx, context.keys, { companyId, now }, name, sealedPlaces.fileName(uid)),
        media_type: mediaType,
        size,
        content_hash: context.keys.mac('body', sha256),
        uploaded_at: now,
        shared_at: shared ? now : null,
      })
      .execute(),
  );
  return uid;
}

/** The first bytes of a JPEG file; nothing of the server reads further ones. */
export const jpeg = Buffer.concat([Buffer.from('ffd8ffe000104a464946000101', 'hex'), Buffer.alloc(100)]);

/** Stores a photo that was taken in the room of an appointment. Returns its uid. */
export async function buildPhoto(
  context: Context,
  of: { companyId: number; appointmentId: number; patientId: number },
  content: Buffer = jpeg,
): Promise<string> {
  const { companyId } = of;
  const uid = newUid();
  const { size, sha256 } = await context.blobs.put({ companyId, uid }, Readable.from([content]), {
    maxBytes: content.length,
  });
  await context.db.open({ kind: 'job', companyId }, async (tx) =>
    tx
      .insertInto('photos')
      .values({
        company_id: companyId,
        appointment_id: of.appointmentId,
        patient_id: of.patientId,
        file_uid: uid,
        request_key: newUid(),
        size,
        content_hash: context.keys.mac('body', sha256),
        uploaded_at: isoNow(context.clock),
      })
      .execute(),
  );
  return uid;
}
