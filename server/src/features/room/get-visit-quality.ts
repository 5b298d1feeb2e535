import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getVisitQuality as call } from '@roomside/contract/room/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { findRoom } from './visit-rows.ts';

/** The sums of the side with the worse connection: both sides count the same interruptions. */
export const getVisitQuality = forStaff(call, async ({ caller, params, tx, touched }) => {
  const room = await findRoom(tx, caller, normalizeUid(params.uid));
  if (!room) throw notFound();
  touched('appointmentId', room.appointment_id);
  const worst = await tx
    .selectFrom('visit_quality')
    .select([
      sql<number>`sum(good_seconds)`.as('goodSeconds'),
      sql<number>`sum(fair_seconds)`.as('fairSeconds'),
      sql<number>`sum(poor_seconds)`.as('poorSeconds'),
      sql<number>`sum(interruptions)`.as('interruptions'),
      sql<boolean>`bool_or(relayed)`.as('relayed'),
    ])
    .where('appointment_id', '=', room.appointment_id)
    .groupBy(sql`role_id = 'P'`)
    .orderBy(sql`sum(poor_seconds)`, 'desc')
    .orderBy(sql`sum(fair_seconds)`, 'desc')
    .orderBy(sql`sum(interruptions)`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return { data: worst ?? null };
});
