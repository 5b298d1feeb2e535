import { getArrivedCount as call } from '@roomside/contract/waiting-room/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { arrivedVisits } from './arrived-rows.ts';

/** MENU-4: patients present without a provider. */
export const getArrivedCount = forStaff(call, async ({ caller, tx }) => {
  const row = await arrivedVisits(tx, caller)
    .where('v.provider_present_at', 'is', null)
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(row.n);
});
