import { instantToWall } from '@roomside/contract/time.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Claim } from '../appointments/provider-time.ts';
import { readFreeStarts } from '../schedule/availability.ts';

/** Whether patients are offered the claim's start with its length; `days` are the company days that can be booked. */
export async function isOffered(tx: Tx, claim: Claim, days: { from: string; to: string }): Promise<boolean> {
  const { companyId, doctorId, startsAt, endsAt, ignore, now } = claim;
  const { day } = instantToWall(startsAt, claim.timeZone);
  if (day < days.from || day > days.to) return false;
  const minutes = (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000;
  const starts = await readFreeStarts(tx, companyId, [doctorId], { from: day, to: day }, { ignore, minutes, now });
  return starts.some(({ startDate }) => startDate === startsAt);
}
