import { addMinutes } from '@roomside/contract/time.ts';
import type { Tx } from '../../platform/database/database.ts';

const minutesOfDay = 24 * 60;
/** A failure that lasts longer is not a moment's, minutes. */
export const failingMinutes = 3;

/** Returns since when the mail server or the text gateway has not been reachable, by way of sending, if that lasts for some minutes. */
export async function longOutages(tx: Tx, now: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx
    .selectFrom('delivery_outages')
    .select(['method', 'since'])
    .where('since', '<=', addMinutes(now, -failingMinutes))
    .where('last_failed_at', '>', addMinutes(now, -minutesOfDay))
    .execute();
  return new Map(rows.map(({ method, since }) => [method, since]));
}
