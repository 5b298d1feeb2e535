import { closeBookingRequest as call } from '@roomside/contract/booking/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

export const closeBookingRequest = forStaff(call, async ({ context, caller, params, tx, now, afterCommit }) => {
  const closed = await tx
    .updateTable('booking_requests')
    // A repeat keeps the first time and user.
    .set({ closed_at: sql`coalesce(closed_at, ${now})`, closed_by: sql`coalesce(closed_by, ${caller.userId})` })
    .where('request_id', '=', params.requestId)
    .returning('request_id')
    .executeTakeFirst();
  if (!closed) throw notFound();
  afterCommit(() => context.push.schedule(caller.companyId));
  return undefined;
});
