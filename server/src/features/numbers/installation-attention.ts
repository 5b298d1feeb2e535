import type { Attention } from '@roomside/contract/numbers/calls.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { countUsersWithoutFactor } from '../second-factor/factors.ts';
import { longOutages } from './long-outages.ts';

const minutesOfDay = 24 * 60;
/** A license is mentioned this long before it ends, days. */
const licenseDays = 30;

/** The admin home of a Super: what concerns the installation, by urgency. It contains counts, and nothing of patients. */
export async function installationAttention(tx: Tx, now: string): Promise<Attention[]> {
  return [...(await failingMessages(tx, now)), ...(await licenses(tx, now)), ...(await supersWithoutFactor(tx))];
}

/** Servers that have not been reachable for some minutes, and messages of the last day that were given up, of all clinics. */
async function failingMessages(tx: Tx, now: string): Promise<Attention[]> {
  const { rows } = await sql<{ method: string; failed: string; companies: string; company_id: number | null }>`
    select method, failed, companies, company_id from failed_notifications(${addMinutes(now, -minutesOfDay)})`.execute(
    tx,
  );
  const outages = await longOutages(tx, now);
  return (['email', 'text'] as const).flatMap((method): Attention[] => {
    const failed = rows.find((row) => row.method === method);
    const since = outages.get(method);
    if (!failed && since === undefined) return [];
    return [
      {
        kind: method === 'email' ? 'email-failing' : 'texts-failing',
        count: Number(failed?.failed ?? 0),
        date: '',
        clinics: { count: Number(failed?.companies ?? 0), companyId: failed?.company_id ?? null },
        ...(since !== undefined && { since }),
      },
    ];
  });
}

/** Clinics whose licenses have ended or end in the next days, each as of today in its zone. Disabled clinics need none. */
async function licenses(tx: Tx, now: string): Promise<Attention[]> {
  const today = sql`(${now}::timestamptz at time zone time_zone)::date`;
  const { rows } = await sql<{ is_ended: boolean; count: string; company_id: number; first: string }>`
    select license_ended(expiration_date, time_zone, ${now}) as is_ended, count(*), min(company_id) as company_id, min(expiration_date) as first
    from companies where not disabled and expiration_date <= ${today} + ${licenseDays}::int
    group by 1 order by 1 desc`.execute(tx);
  return rows.map(({ is_ended, count, company_id, first }) => ({
    kind: is_ended ? 'licenses-ended' : 'licenses-end',
    count: Number(count),
    date: first,
    clinics: { count: Number(count), companyId: Number(count) === 1 ? company_id : null },
  }));
}

async function supersWithoutFactor(tx: Tx): Promise<Attention[]> {
  const count = await countUsersWithoutFactor(tx, null);
  return count > 0 ? [{ kind: 'supers-without-factor', count, date: '' }] : [];
}
