import { getArrivedCount as call } from '@roomside/contract/waiting-room/calls.ts';
import { inOneTrip } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { type ArrivalScope, arrivalScopeOf, arrivedVisits } from './arrived-rows.ts';

/** MENU-4: the number of patients in a room without a provider. */
export const getArrivedCount = forStaff(call, async ({ caller, tx }) => {
  const [[row]] = await inOneTrip(tx, count(arrivalScopeOf(caller)));
  return Number(row?.n);
});

const count = prepared((tx, scope: ArrivalScope) =>
  arrivedVisits(tx, scope)
    .where('v.provider_present_at', 'is', null)
    .select((eb) => eb.fn.countAll<string>().as('n')),
);
