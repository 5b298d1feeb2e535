import { buildAppointment, buildBookingRequest, buildUser } from '../src/demo/builders.ts';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { sealedPlaces, sealText } from '../src/platform/sealed-text.ts';
import { buildCharge } from './build-charge.ts';
import { buildFile, buildPhoto } from './build-file.ts';
import { buildGuest } from './build-guest.ts';
import { buildImport } from './build-import.ts';
import { buildRecording } from './build-recording.ts';
import { buildVisitQuality } from './build-visit-quality.ts';

/**
 * Creates a row of a patient in every table of `recordTables`, in addition to the patient: an appointment that begins now,
 * and what belongs to it. The texts contain `word`.
 */
export async function buildRecords(
  context: Context,
  { companyId, patientId, word = 'Text' }: { companyId: number; patientId: number; word?: string },
): Promise<void> {
  const now = isoNow(context.clock);
  const { userId: doctorId } = await buildUser(context, { companyId });
  const texts = { notes: `${word} notes`, cancellationNotes: word, welcomeMessage: word };
  const visit = { arrivedAt: now, duration: 60 };
  const payment = { fee: '10', collected: '5' };
  const built = await buildAppointment(context, { companyId, doctorId, patientId, ...texts, ...payment, visit });
  const { appointmentId } = built;
  await buildBookingRequest(context, { companyId, patientId, wish: word });
  const base = { company_id: companyId, appointment_id: appointmentId, patient_id: patientId };
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const [author, key] = [`P_${patientId}`, 'a-key'];
    const place = sealedPlaces.chat(appointmentId, author, key);
    const payload = await sealText(tx, context.keys, { companyId, now }, `${word} chat`, place);
    await tx
      .insertInto('chat_messages')
      .values({ ...base, author, key, payload, occurred_at: now })
      .execute();
    const check = { camera: 'works', microphone: 'works', speaker: 'unknown', connection: 'good' };
    await tx
      .insertInto('device_checks')
      .values({ ...base, ...check, checked_at: now })
      .execute();
    const notice = { ...base, kind: 'invitation', method: 'email', error: word, due_at: now, created_at: now };
    await tx.insertInto('notification_logs').values(notice).execute();
    const [instance] = await tx.selectFrom('instances').select('instance_id').limit(1).execute();
    const peer = { peer_id: 'p', role_id: 'P', connection_id: 'c', instance_id: instance?.instance_id ?? '' };
    await tx
      .insertInto('peers')
      .values({ ...base, ...peer, joined_at: now, left_at: now })
      .execute();
    await buildCharge(tx, { companyId, appointmentId, patientId, refundReason: word, now });
    const hold = { ...base, doctor_id: doctorId, created_at: now, expires_at: now, hold_uid: newUid() };
    const hashes = { holder: Buffer.from('x'), address: Buffer.from('x') };
    const later = new Date(Date.parse(now) + 900_000).toISOString();
    await tx
      .insertInto('holds')
      .values({ ...hold, ...hashes, starts_at: now, ends_at: later })
      .execute();
  });
  await buildGuest(context, { companyId, appointmentId, patientId }, { name: word, contact: `${word}@example.test` });
  await buildVisitQuality(context, { companyId, appointmentId, patientId });
  await buildFile(
    context,
    { companyId, appointmentId, patientId },
    { name: `${word}.txt`, content: Buffer.from(word) },
  );
  await buildImport(context, { companyId, patientId, word });
  await buildRecording(context, built, { content: Buffer.from(word) });
  await buildPhoto(context, { companyId, appointmentId, patientId }, Buffer.from(`${word} photo`));
  await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx
      .insertInto('sign_ins')
      .values({
        ...base,
        kind: 'patient',
        serial: newUid(),
        seed: Buffer.from('x'),
        remember: false,
        created_at: now,
        rotated_at: now,
        active_at: now,
        expires_at: now,
      })
      .execute(),
  );
}
