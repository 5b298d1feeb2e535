import { noteBookingLink as call } from '@roomside/contract/first-steps/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';

export const noteBookingLink = forStaff(call, async ({ caller, tx, now }) => {
  await tx
    .updateTable('companies')
    .set({ booking_link_used_at: now })
    .where('company_id', '=', caller.companyId)
    .where('booking_link_used_at', 'is', null)
    .execute();
  return undefined;
});
