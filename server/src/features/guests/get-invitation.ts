import { getInvitation as call } from '@roomside/contract/guests/calls.ts';
import type { GuestRole } from '@roomside/contract/guests/guest.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { countInvalidLink, openLink } from './open-link.ts';

/** What a link shows before joining. */
export const getInvitation = forAnyone(call, async (attempt) => {
  const { context, body } = attempt;
  const { guestId, companyId } = await context.db
    .open({ kind: 'unauthenticated' }, (tx) => openLink(tx, attempt, body.link))
    .catch((error: unknown) => countInvalidLink(attempt, error));
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const row = await tx
      .selectFrom('visit_guests as g')
      .innerJoin('appointments as a', 'a.appointment_id', 'g.appointment_id')
      .innerJoin('users as u', 'u.user_id', 'a.doctor_id')
      .innerJoin('companies as c', 'c.company_id', 'g.company_id')
      .select(['g.name', 'g.role', 'u.first_name', 'u.last_name', 'a.starts_at', 'c.company_name', 'c.time_zone'])
      .where('g.guest_id', '=', guestId)
      .executeTakeFirstOrThrow();
    return {
      name: row.name,
      role: row.role as GuestRole,
      companyName: row.company_name,
      doctor: { firstName: row.first_name, lastName: row.last_name },
      startDate: row.starts_at,
      timeZone: row.time_zone,
    };
  });
});
