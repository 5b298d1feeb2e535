import { type HoursOfRow, readHoursRow } from '@roomside/contract/csv-import/read-hours.ts';
import { sql } from 'kysely';
import { isoNow } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { lockUsers } from '../../appointments/provider-time.ts';
import { minuteOf } from '../../schedule/availability.ts';
import { insertRule, providersOf } from '../../scheduling-rules/rule-rows.ts';
import type { ImportRow, Parts } from '../claimed.ts';
import type { ImportKind, Undone } from '../kind.ts';
import { refuseTaken, type Span } from '../spans.ts';
import { type HoursPlan, type HoursRow, planHours } from './plan-hours.ts';

export const hoursKind: ImportKind<HoursOfRow, HoursPlan> = {
  readRow: readHoursRow,
  planRows: (tx, _context, rows, planning) => planHours(tx, rows, planning),
  keysOf,
  // A rule may have several hours, each of which is a row.
  foundId: () => undefined,
  double: 'same-row',
  refuseTaken: (tx, planned, planning) => refuseTaken(tx, planned, planning, ({ plan }) => spansOf(plan)),
  async write(tx, context, row, planned) {
    const { company_id: companyId, import_id: importId, by_user_id: createdBy } = row;
    const created: number[] = [];
    // All at a time, so that they are locked in the order of their ids.
    const providers = planned.flatMap(({ plan }) => (plan.kind === 'create' ? providersOf(plan.body) : []));
    await lockUsers(tx, companyId, providers);
    for (const { plan } of planned) {
      if (plan.kind !== 'create') continue;
      const of = { companyId, createdBy, now: isoNow(context.clock), importId };
      created.push((await insertRule(tx, of, plan.body)).rule_id);
    }
    return { created, updated: [] };
  },
  undo: [archiveRules],
  audited: {
    write: 'importHours',
    undo: 'undoHours',
    written: ({ created }) => ({ rules: created }),
    undone: ({ archived }) => ({ rules: archived }),
  },
};

function keysOf({ value }: HoursRow, plan: HoursPlan): string[][] {
  if (!value || plan.kind === 'refuse') return [];
  const { provider, weekMask, from, to, validFrom, validUntil } = value;
  const who = plan.kind === 'create' ? String(plan.userId) : provider.toLowerCase();
  return [['hours', who, String(weekMask), from, to, validFrom ?? '', validUntil ?? '']];
}

/** Sunday, 2 January 2000. */
const sunday = Date.UTC(2000, 0, 2);

/** The times that a row opens, within one week. */
function spansOf(plan: HoursPlan): Span[] {
  if (plan.kind !== 'create') return [];
  const { weekMask, activeStartDate, activeEndDate, apptRulesTimes } = plan.body;
  const at = (day: number, time: string) => new Date(sunday + (day * 1440 + minuteOf(time)) * 60_000).toISOString();
  return [0, 1, 2, 3, 4, 5, 6]
    .filter((day) => (weekMask >> day) & 1)
    .flatMap((day) =>
      apptRulesTimes.map(({ startTime, endTime }) => ({
        doctorId: plan.userId,
        from: at(day, startTime),
        to: at(day, endTime),
        days: [activeStartDate, activeEndDate] as const,
      })),
    );
}

const batchSize = 500;

/**
 * Archives the rules that the import has created and no one has edited since. Providers who have had no rules but those of imports that were undone
 * can be booked as before them.
 */
async function archiveRules(tx: Tx, context: Parts, row: ImportRow): Promise<Undone> {
  const { company_id: companyId, import_id: importId } = row;
  const found = await tx
    .selectFrom('scheduling_rules')
    .select(['rule_id', 'version', 'archived_at'])
    .where('company_id', '=', companyId)
    .where('import_id', '=', importId)
    .where('rule_id', '>', row.position)
    .orderBy('rule_id')
    .limit(batchSize)
    .forUpdate()
    .execute();
  const present = found.filter((rule) => rule.archived_at === null);
  const archived = present.filter(({ version }) => version === 0).map((rule) => rule.rule_id);
  await sql`update scheduling_rules set archived_at = ${isoNow(context.clock)}
    where company_id = ${companyId} and rule_id = any(${archived}::bigint[])`.execute(tx);
  const { rows: providers } = await sql<{ user_id: number }>`select distinct user_id from rule_providers
    where company_id = ${companyId} and rule_id = any(${archived}::bigint[])`.execute(tx);
  // Separate statements: rules that are being saved for them are seen behind the locks.
  await lockUsers(
    tx,
    companyId,
    providers.map((one) => one.user_id),
  );
  await sql`update users u set uses_rules = false where u.company_id = ${companyId} and u.uses_rules
    and exists (select from rule_providers p where p.company_id = ${companyId} and p.user_id = u.user_id
      and p.rule_id = any(${archived}::bigint[]))
    and not exists (select from rule_providers p join scheduling_rules r on r.company_id = p.company_id and r.rule_id = p.rule_id
      where p.company_id = ${companyId} and p.user_id = u.user_id
        and not (r.archived_at is not null and r.version = 0 and exists (select from imports i where i.company_id = r.company_id
          and i.import_id = r.import_id and i.state in ('undone', 'undoing'))))`.execute(tx);
  return { archived, restored: [], kept: present.length - archived.length, last: found.at(-1)?.rule_id };
}
