import { randomUUID } from 'node:crypto';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';

/** Stores how the media arrived at the page of a patient. */
export async function buildVisitQuality(
  context: Context,
  of: { companyId: number; appointmentId: number; patientId: number },
): Promise<void> {
  await context.db.open({ kind: 'job', companyId: of.companyId }, (tx) =>
    tx
      .insertInto('visit_quality')
      .values({
        company_id: of.companyId,
        appointment_id: of.appointmentId,
        patient_id: of.patientId,
        peer_id: `P_${of.patientId}_x`,
        page: randomUUID(),
        role_id: 'P',
        updated_at: isoNow(context.clock),
        loss_average: 0,
        loss_worst: 0,
        rtt_average_ms: 20,
        rtt_worst_ms: 30,
        jitter_average_ms: 1,
        jitter_worst_ms: 2,
        concealed_average: 0,
        concealed_worst: 0,
        freezes: 0,
        relayed: false,
        interruptions: 0,
        restarts: 0,
        good_seconds: 60,
        fair_seconds: 0,
        poor_seconds: 0,
      })
      .execute(),
  );
}
