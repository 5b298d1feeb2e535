import { may, providers } from '@roomside/contract/permissions.ts';
import type { RuleBody } from '@roomside/contract/scheduling-rules/calls.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { lockUsers } from '../appointments/provider-time.ts';
import { minuteOf, toRecurrence, wallTime } from '../schedule/availability.ts';

/** The rules of the company with their providers and times. */
export function ruleRows(tx: Tx) {
  return tx
    .selectFrom('scheduling_rules as r')
    .selectAll('r')
    .select([
      sql<
        { userId: number; firstName: string; lastName: string; disabled: boolean }[]
      >`(select coalesce(json_agg(json_build_object(
        'userId', u.user_id, 'firstName', u.first_name, 'lastName', u.last_name,
        'disabled', u.disabled or u.role_id not in ('A', 'D')) order by u.last_name collate name_order, u.first_name collate name_order, u.user_id), '[]')
        from rule_providers p join users u on u.user_id = p.user_id where p.rule_id = r.rule_id)`.as('providers'),
      sql<
        { start: number; end: number }[]
      >`(select coalesce(json_agg(json_build_object('start', t.start_minute, 'end', t.end_minute)
        order by t.position), '[]') from rule_times t where t.rule_id = r.rule_id)`.as('times'),
    ])
    .where('r.archived_at', 'is', null);
}
type Row = Awaited<ReturnType<ReturnType<typeof ruleRows>['execute']>>[number];

/** A rule as in the list (RULES-1). */
export function toRuleRow(row: Row) {
  return {
    ruleId: row.rule_id,
    description: row.description,
    disabled: row.disabled,
    recurrence: toRecurrence(row),
    providers: row.providers.map(({ userId, firstName, lastName }) => ({ userId, firstName, lastName })),
    created: row.created_at,
  };
}

/** A rule as in the editor (ENTITY-12), for this caller. */
export function toRule(row: Row, caller: StaffCaller) {
  return {
    ruleId: row.rule_id,
    version: row.version,
    description: row.description,
    disabled: row.disabled,
    ...toRecurrence(row),
    apptRulesTimes: row.times.map(({ start, end }) => ({ startTime: wallTime(start), endTime: wallTime(end) })),
    apptRulesPhysicians: row.providers
      .filter(({ disabled }) => !disabled)
      .map(({ userId }) => ({ ruleId: row.rule_id, physicianId: userId })),
    created: row.created_at,
    mayEdit: mayWrite(
      caller,
      row.providers.map(({ userId }) => userId),
    ),
  };
}

/** The columns of a rule, from the request's body. */
export const ruleColumnsOf = (body: RuleBody) => ({
  description: body.description.trim(),
  disabled: body.disabled,
  rule_type: body.ruleType,
  active_start_date: body.activeStartDate,
  active_end_date: body.activeEndDate,
  daily_type: body.dailyType,
  every_n_day: body.everyNday,
  every_n_week: body.everyNweek,
  every_n_month: body.everyNmonth,
  week_mask: body.weekMask,
  month_mask: body.monthMask,
  year_mask: body.yearMask,
  week_month_mask: body.weekMonthMask,
  monthly_type1: body.monthlyType1,
  monthly_type2: body.monthlyType2,
});

export const providersOf = (body: RuleBody): number[] => [
  ...new Set(body.apptRulesPhysicians.map(({ physicianId }) => physicianId)),
];

/** Creates a rule with its times and providers. `importId`: the import that creates it. */
export async function insertRule(
  tx: Tx,
  of: { companyId: number; createdBy: number; now: string; importId?: number },
  body: RuleBody,
): Promise<{ rule_id: number; version: number }> {
  const { companyId, createdBy, now, importId = null } = of;
  const saved = await tx
    .insertInto('scheduling_rules')
    .values({
      ...ruleColumnsOf(body),
      company_id: companyId,
      created_by: createdBy,
      created_at: now,
      import_id: importId,
    })
    .returning(['rule_id', 'version'])
    .executeTakeFirstOrThrow();
  await writeParts(tx, companyId, saved.rule_id, body);
  return saved;
}

/** Replaces the times and providers of a rule. From then on these providers can be booked within rules only. */
export async function writeParts(tx: Tx, companyId: number, ruleId: number, body: RuleBody): Promise<void> {
  for (const table of ['rule_times', 'rule_providers'] as const) {
    await tx.deleteFrom(table).where('company_id', '=', companyId).where('rule_id', '=', ruleId).execute();
  }
  const parent = { company_id: companyId, rule_id: ruleId };
  const times = body.apptRulesTimes.map(({ startTime, endTime }, position) => ({
    ...parent,
    position,
    start_minute: minuteOf(startTime),
    end_minute: minuteOf(endTime),
  }));
  if (times.length > 0) await tx.insertInto('rule_times').values(times).execute();
  const doctors = providersOf(body);
  // An undo of imported rules, which may end what the update below sets, waits.
  await lockUsers(tx, companyId, doctors);
  await tx
    .insertInto('rule_providers')
    .values(doctors.map((user_id) => ({ ...parent, user_id })))
    .execute();
  await tx
    .updateTable('users')
    .set({ uses_rules: true })
    .where('company_id', '=', companyId)
    .where('uses_rules', '=', false)
    .where(sql<boolean>`user_id = any(${doctors})`)
    .execute();
}

/** Refuses users who are not enabled providers of the company, and rules of a provider for others. */
export async function requireProviders(tx: Tx, caller: StaffCaller, doctors: readonly number[], skipChecks: boolean) {
  const rows = await tx
    .selectFrom('users')
    .select('user_id')
    .where('company_id', '=', caller.companyId)
    .where('disabled', '=', false)
    .where('role_id', 'in', providers)
    .where(sql<boolean>`user_id = any(${[...doctors]})`)
    .execute();
  if (rows.length !== doctors.length) throw notFound();
  if (!skipChecks) requireOwn(caller, doctors);
}

/** 'rules.write.own': a doctor writes rules for themselves only. A rule without providers is no one's own. */
function mayWrite(caller: StaffCaller, doctors: readonly number[]): boolean {
  if (may(caller.role, 'rules.write.all')) return true;
  return may(caller.role, 'rules.write.own') && doctors.length > 0 && doctors.every((id) => id === caller.userId);
}

/** Throws `not-allowed` for rules that the caller may not write. */
export function requireOwn(caller: StaffCaller, doctors: readonly number[]): void {
  if (!mayWrite(caller, doctors)) throw new Refusal('not-allowed');
}

/** Reads and locks a rule. Returns its version and providers. Throws `not-found`. */
export async function lockRule(tx: Tx, companyId: number, ruleId: number) {
  const stored = await tx
    .selectFrom('scheduling_rules')
    .select(['rule_id', 'version'])
    .where('company_id', '=', companyId)
    .where('rule_id', '=', ruleId)
    .where('archived_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  const rows = await tx.selectFrom('rule_providers').select('user_id').where('rule_id', '=', ruleId).execute();
  return { version: stored.version, doctors: rows.map((row) => row.user_id) };
}
