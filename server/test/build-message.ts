import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { sealedPlaces, sealText } from '../src/platform/sealed-text.ts';

/** Stores a chat message that the patient of an appointment has sent. */
export async function buildMessage(
  context: Context,
  of: { companyId: number; appointmentId: number; patientId: number },
  text: string,
): Promise<void> {
  const { companyId, appointmentId, patientId } = of;
  const now = isoNow(context.clock);
  const [author, key] = [`P_${patientId}`, newUid()];
  await context.db.open({ kind: 'job', companyId }, async (tx) =>
    tx
      .insertInto('chat_messages')
      .values({
        company_id: companyId,
        appointment_id: appointmentId,
        patient_id: patientId,
        author,
        key,
        payload: await sealText(
          tx,
          context.keys,
          { companyId, now },
          text,
          sealedPlaces.chat(appointmentId, author, key),
        ),
        occurred_at: now,
      })
      .execute(),
  );
}
