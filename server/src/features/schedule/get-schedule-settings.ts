import { getScheduleSettings as call } from '@roomside/contract/schedule/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { readProviderTimes } from './availability.ts';

/** CALL-29, ENTITY-15. */
export const getScheduleSettings = forStaff(call, async ({ caller, tx, now }) => {
  const today = instantToWall(now, caller.timeZone).day;
  const { providers, company, timeZone } = await readProviderTimes(tx, caller.companyId, null, {
    from: today,
    to: today,
  });
  const physicians = providers.map(({ userId, firstName, lastName }) => ({ userId, firstName, lastName }));
  return { physicians, settings: { ...company, timeZone } };
});
