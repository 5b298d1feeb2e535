import { dismissFirstSteps as call } from '@roomside/contract/first-steps/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';

export const dismissFirstSteps = forStaff(call, async ({ caller, tx, now }) => {
  await tx
    .updateTable('companies')
    .set({ first_steps_dismissed_at: now })
    .where('company_id', '=', caller.companyId)
    .where('first_steps_dismissed_at', 'is', null)
    .execute();
  return undefined;
});
