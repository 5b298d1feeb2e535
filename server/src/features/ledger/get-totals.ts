import { getLedgerTotals as call, type LedgerSums } from '@roomside/contract/ledger/calls.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { byName } from '../../platform/lists.ts';
import { matchingEntries, openAmount, openAppointments } from './find-entries.ts';

interface Sum {
  readonly kind: string;
  readonly amount: string;
}

/** Adds sums by kind, in cents. */
function sumsOf(rows: readonly Sum[]): LedgerSums {
  const of = (matches: (row: Sum) => boolean) =>
    fromCents(rows.filter(matches).reduce((cents, { amount }) => cents + toCents(amount), 0));
  const byKind = (kind: string) => of((row) => row.kind === kind);
  return {
    charge: byKind('charge'),
    manual: byKind('manual'),
    promo: byKind('promo'),
    refund: byKind('refund'),
    collected: of(() => true),
  };
}

/** Groups rows by a key, in their order. */
function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Row[][] {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()];
}

/** Sums of the same entries that the list has, by one query, so that all agree. */
export const getLedgerTotals = forStaff(call, async ({ caller, query, tx }) => {
  const rows = await matchingEntries(tx, caller, query)
    .select(['a.doctor_id', 'd.first_name', 'd.last_name', 'l.kind'])
    .select(sql<string>`case when l.kind = 'promo' then '' else coalesce(c.processor, '') end`.as('processor'))
    .select(sql<string>`sum(l.amount)::numeric(14,2)`.as('amount'))
    .groupBy(['a.doctor_id', 'd.first_name', 'd.last_name', 'l.kind', sql`5`])
    .orderBy(byName('d.last_name'))
    .orderBy(byName('d.first_name'))
    .orderBy('a.doctor_id')
    .execute();
  const open = await openAppointments(tx, caller, query)
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .select(sql<string>`coalesce(sum(${openAmount}), 0)::numeric(14,2)`.as('balance'))
    .executeTakeFirstOrThrow();
  return {
    currency: caller.currency,
    timeZone: caller.timeZone,
    total: sumsOf(rows),
    providers: grouped(rows, (row) => row.doctor_id).flatMap((group) =>
      group.slice(0, 1).map((row) => ({
        userId: row.doctor_id,
        firstName: row.first_name,
        lastName: row.last_name,
        sums: sumsOf(group),
      })),
    ),
    processors: grouped(
      rows.toSorted((a, b) => a.processor.localeCompare(b.processor)),
      (row) => row.processor,
    ).map((group) => ({ processor: group[0]?.processor ?? '', sums: sumsOf(group) })),
    open: { count: Number(open.n), balance: open.balance },
  };
});
