import type { QueryOf } from '@roomside/contract/call.ts';
import type { getLedgerTotals } from '@roomside/contract/ledger/calls.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';

/** What the entries and appointments are filtered by. */
export type LedgerFilter = QueryOf<typeof getLedgerTotals>;

/** The instants of the company's days. */
const instantsOf = (caller: StaffCaller, { from, to }: LedgerFilter) => ({
  since: dayBounds(from, caller.timeZone).from,
  until: dayBounds(to, caller.timeZone).to,
});

/** The matching entries `l`, with their appointment `a` and charge `c`. List, sums and download use the same condition. */
export function matchingEntries(tx: Tx, caller: StaffCaller, filter: LedgerFilter) {
  const { since, until } = instantsOf(caller, filter);
  return tx
    .selectFrom('ledger as l')
    .innerJoin('appointments as a', 'a.appointment_id', 'l.appointment_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .leftJoin('charges as c', 'c.charge_id', 'l.charge_id')
    .where('l.occurred_at', '>=', since)
    .where('l.occurred_at', '<', until)
    .$if(filter.doctorId !== undefined, (query) => query.where('a.doctor_id', '=', filter.doctorId ?? 0))
    .$if(filter.kind !== undefined, (query) => query.where('l.kind', '=', filter.kind ?? ''));
}

/** What is still owed of an appointment. */
export const openAmount = sql<string>`(a.fee - a.collected)::numeric(10,2)`;

/** The appointments `a` of the days that are not cancelled and not fully collected; none of tests. */
export function openAppointments(tx: Tx, caller: StaffCaller, filter: LedgerFilter) {
  const { since, until } = instantsOf(caller, filter);
  return tx
    .selectFrom('appointments as a')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .where('a.starts_at', '>=', since)
    .where('a.starts_at', '<', until)
    .where('a.archived_at', 'is', null)
    .where('a.cancelled', '=', false)
    .where('p.is_test', '=', false)
    .whereRef('a.fee', '>', 'a.collected')
    .$if(filter.doctorId !== undefined, (query) => query.where('a.doctor_id', '=', filter.doctorId ?? 0));
}
