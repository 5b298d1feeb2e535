import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { saveVisitQuality as call, type VisitQuality } from '@roomside/contract/room/calls.ts';
import { peerIdOf } from '../../platform/caller.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { findRoom } from './visit-rows.ts';

/** Loads of the page that are stored for one peer of a visit; further ones are dropped. */
const maxPages = 50;

/** Stores how sound and video arrived at the caller's page. The room does not depend on it. */
export const saveVisitQuality = forRoom(call, async ({ caller, params, body, tx, now, touched }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  touched('appointmentId', room.appointment_id);
  const peer_id = peerIdOf(caller);
  const { pages } = await tx
    .selectFrom('visit_quality')
    .select(({ fn }) => fn.countAll<number>().as('pages'))
    .where('appointment_id', '=', room.appointment_id)
    .where('peer_id', '=', peer_id)
    .where('page', '<>', body.page)
    .executeTakeFirstOrThrow();
  if (pages >= maxPages) return undefined;
  const figures = { ...columnsOf(body), updated_at: now };
  await tx
    .insertInto('visit_quality')
    .values({
      company_id: room.company_id,
      appointment_id: room.appointment_id,
      patient_id: room.patient_id,
      peer_id,
      role_id: caller.role,
      page: body.page,
      ...figures,
    })
    .onConflict((conflict) => conflict.columns(['appointment_id', 'peer_id', 'page']).doUpdateSet(figures))
    .execute();
  return undefined;
});

function columnsOf(quality: VisitQuality) {
  return {
    loss_average: quality.lossAverage,
    loss_worst: quality.lossWorst,
    rtt_average_ms: quality.rttAverageMs,
    rtt_worst_ms: quality.rttWorstMs,
    jitter_average_ms: quality.jitterAverageMs,
    jitter_worst_ms: quality.jitterWorstMs,
    concealed_average: quality.concealedAverage,
    concealed_worst: quality.concealedWorst,
    freezes: quality.freezes,
    relayed: quality.relayed,
    interruptions: quality.interruptions,
    restarts: quality.restarts,
    good_seconds: quality.goodSeconds,
    fair_seconds: quality.fairSeconds,
    poor_seconds: quality.poorSeconds,
  };
}
