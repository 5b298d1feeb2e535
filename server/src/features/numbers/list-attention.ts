import { type Attention, listAttention as call } from '@roomside/contract/numbers/calls.ts';
import { addMinutes, instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { countUsersWithoutFactor } from '../second-factor/factors.ts';
import { installationAttention } from './installation-attention.ts';
import { failingMinutes, longOutages } from './long-outages.ts';

const minutesOfDay = 24 * 60;
/** A license is mentioned this long before it ends, days; appointments of unreachable patients as far ahead. */
const licenseDays = 30;
const aheadDays = 7;

/** The admin home: what does not work or will not, by urgency. */
export const listAttention = forUsers(call, async ({ caller, tx, now }) => ({
  data: caller.kind === 'super' ? await installationAttention(tx, now) : await clinicAttention(tx, caller, now),
}));

async function clinicAttention(tx: Tx, caller: StaffCaller, now: string): Promise<Attention[]> {
  return [
    ...(await refusedRefunds(tx, caller)),
    ...(await licenseEnds(tx, caller, now)),
    ...(await failingMessages(tx, caller, now)),
    ...(await unreachablePatients(tx, caller, now)),
    ...(await usersWithoutFactor(tx, caller)),
  ];
}

/** Appointments with refunds that were not made, until an administrator has refunded them or taken them out of the collected amount. */
async function refusedRefunds(tx: Tx, { companyId }: StaffCaller): Promise<Attention[]> {
  const rows = await tx
    .selectFrom('charges as c')
    .select((eb) => ['c.appointment_id', 'c.patient_id', eb.fn.min('c.charge_id').as('first')])
    .where('c.company_id', '=', companyId)
    .where('c.state', '=', 'paid')
    .where('c.refund_failed_at', 'is not', null)
    .groupBy(['c.appointment_id', 'c.patient_id'])
    .having(
      sql<boolean>`sum(c.amount) > (select coalesce(sum(-l.amount), 0) from ledger l where l.appointment_id = c.appointment_id
        and l.kind = 'manual' and l.amount < 0 and l.occurred_at >= min(c.refund_failed_at))`,
    )
    .orderBy('first')
    .execute();
  const [oldest] = rows;
  if (!oldest?.appointment_id || !oldest.patient_id) return [];
  const appointment = { appointmentId: oldest.appointment_id, patientId: oldest.patient_id };
  return [{ kind: 'refund-refused', count: rows.length, date: '', appointment }];
}

async function licenseEnds(tx: Tx, { companyId, timeZone }: StaffCaller, now: string): Promise<Attention[]> {
  const { expiration_date: date } = await tx
    .selectFrom('companies')
    .select('expiration_date')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const today = instantToWall(now, timeZone).day;
  const isNear = Temporal.PlainDate.from(today).until(date).days <= licenseDays;
  return isNear ? [{ kind: 'license-ends', count: 0, date }] : [];
}

/**
 * Servers that have not been reachable for some minutes, and messages of the last day that were given up or that fail for as long.
 * A message that an outage has kept until it was no longer due was given up.
 */
async function failingMessages(tx: Tx, { companyId }: StaffCaller, now: string): Promise<Attention[]> {
  const rows = await tx
    .selectFrom('notification_logs')
    .select(['method', (eb) => eb.fn.countAll<string>().as('count')])
    .where('company_id', '=', companyId)
    .where('created_at', '>', addMinutes(now, -minutesOfDay))
    .where((eb) =>
      eb.or([
        eb('state', '=', 'failed'),
        eb.and([
          eb('state', '=', 'queued'),
          eb('error', '<>', ''),
          eb('created_at', '<=', addMinutes(now, -failingMinutes)),
        ]),
      ]),
    )
    .groupBy('method')
    .execute();
  const outages = await longOutages(tx, now);
  return (['email', 'text'] as const).flatMap((method): Attention[] => {
    const count = Number(rows.find((row) => row.method === method)?.count ?? 0);
    const since = outages.get(method);
    if (count === 0 && since === undefined) return [];
    const kind = method === 'email' ? 'email-failing' : 'texts-failing';
    return [{ kind, count, date: '', ...(since !== undefined && { since }) }];
  });
}

/**
 * Appointments of the next days whose patients can get neither a mail nor a text: they have no address, or the server refused
 * the last message to it. A changed patient may have another address.
 */
async function unreachablePatients(tx: Tx, { companyId }: StaffCaller, now: string): Promise<Attention[]> {
  const isRefused = (
    method: 'email' | 'text',
  ) => sql<boolean>`coalesce((select n.state = 'failed' and n.refused_version = p.version
    from notification_logs n where n.company_id = p.company_id and n.patient_id = p.patient_id and n.to_user_id is null
      and n.method = ${method} and (n.state = 'sent' or n.refused_version is not null)
    order by n.notification_id desc limit 1), false)`;
  const { count } = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('a.company_id', '=', companyId)
    .where('a.archived_at', 'is', null)
    .where('a.cancelled', '=', false)
    .where('a.starts_at', '>', now)
    .where('a.starts_at', '<', addMinutes(now, aheadDays * minutesOfDay))
    .where((eb) => eb.or([eb('p.email', '=', ''), isRefused('email')]))
    .where(
      sql<boolean>`(not exists (select from patient_phones f where f.company_id = p.company_id and f.patient_id = p.patient_id)
        or ${isRefused('text')})`,
    )
    .executeTakeFirstOrThrow();
  return Number(count) > 0 ? [{ kind: 'unreachable-patients', count: Number(count), date: '' }] : [];
}

async function usersWithoutFactor(tx: Tx, { companyId }: StaffCaller): Promise<Attention[]> {
  const count = await countUsersWithoutFactor(tx, companyId);
  return count > 0 ? [{ kind: 'without-factor', count, date: '' }] : [];
}
