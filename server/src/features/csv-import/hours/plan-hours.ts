import type { HoursOfRow } from '@roomside/contract/csv-import/read-hours.ts';
import type { RuleBody } from '@roomside/contract/scheduling-rules/calls.ts';
import { blankRecurrence, ruleTest } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { calendarDay, dayNumber } from '@roomside/contract/scheduling-rules/recurrence-days.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/database.ts';
import { minuteOf, toRecurrence } from '../../schedule/availability.ts';
import { ruleRows } from '../../scheduling-rules/rule-rows.ts';
import { type FileRow, type Plan, type PlannedRow, type Planning, refuse } from '../kind.ts';
import { Providers } from '../match-providers.ts';

/** What an import does with a row of weekly hours. */
export type HoursPlan =
  | { readonly kind: 'create'; readonly userId: number; readonly body: RuleBody }
  /** A rule says the same. */
  | { readonly kind: 'keep' }
  | Extract<Plan, { kind: 'refuse' }>;

export type HoursRow = FileRow<HoursOfRow>;

/**
 * Says what becomes of rows: each becomes a weekly rule of its provider from its first day on (default: the day of the upload), unless a rule says
 * the same already, or opens some of the time (decision 068).
 */
export async function planHours(
  tx: Tx,
  rows: readonly HoursRow[],
  { claimed: { companyId }, row: { uploaded_at: uploadedAt } }: Planning,
): Promise<PlannedRow<HoursOfRow, HoursPlan>[]> {
  const { time_zone: zone } = await tx
    .selectFrom('companies')
    .select('time_zone')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const { day: today } = instantToWall(uploadedAt, zone);
  const providers = await Providers.read(tx, companyId);
  const found = rows.map(({ value }) => (value ? providers.find(value.provider) : undefined));
  const users = [...new Set(found.flatMap((one) => (one && 'user' in one ? [one.user.userId] : [])))];
  const rules = await readRules(tx, companyId, users);
  return rows.map((row, n) => {
    const user = found[n];
    if (!row.value || !user) return { row, plan: { kind: 'refuse', problems: row.problems } };
    if (!('user' in user)) return { row, plan: refuse(user.problem, user.detail) };
    if (!user.user.isProvider) return { row, plan: refuse('provider-disabled') };
    const { userId } = user.user;
    return { row, plan: planRow(userId, row.value, rules.get(userId) ?? [], today) };
  });
}

function planRow(userId: number, value: HoursOfRow, rules: readonly StoredRule[], today: string): HoursPlan {
  const [start, end] = [minuteOf(value.from), minuteOf(value.to)];
  if (rules.some((rule) => isSame(rule, value))) return { kind: 'keep' };
  const body = bodyOf(userId, value, today);
  const isTaken = rules.some(
    (rule) => rule.times.some((time) => time.start < end && start < time.end) && shareDay(rule, body),
  );
  return isTaken ? refuse('overlap-rule') : { kind: 'create', userId, body };
}

/** Whether a rule opens these hours of every week. A row without a first day means any. */
function isSame({ recurrence, times }: StoredRule, value: HoursOfRow): boolean {
  return (
    recurrence.ruleType === 'W' &&
    recurrence.everyNweek === 1 &&
    recurrence.weekMask === value.weekMask &&
    (value.validFrom === null || recurrence.activeStartDate === value.validFrom) &&
    recurrence.activeEndDate === value.validUntil &&
    times.some((time) => time.start === minuteOf(value.from) && time.end === minuteOf(value.to))
  );
}

/** How far two rules are compared, days: a rule that applies at all does so within a year. */
const comparedDays = 400;

function shareDay({ recurrence }: StoredRule, body: RuleBody): boolean {
  const [one, other] = [ruleTest(recurrence), ruleTest(body)];
  const first = Math.max(dayNumber(recurrence.activeStartDate), dayNumber(body.activeStartDate));
  for (let day = first; day < first + comparedDays; day += 1) {
    const date = calendarDay(day);
    if (other(date) && one(date)) return true;
  }
  return false;
}

const bodyOf = (userId: number, value: HoursOfRow, today: string): RuleBody => ({
  ruleId: 0,
  version: 0,
  description: 'Imported hours',
  disabled: false,
  ...blankRecurrence(value.validFrom ?? today),
  ruleType: 'W',
  activeEndDate: value.validUntil,
  weekMask: value.weekMask,
  apptRulesTimes: [{ startTime: value.from, endTime: value.to }],
  apptRulesPhysicians: [{ physicianId: userId }],
});

interface StoredRule {
  readonly recurrence: ReturnType<typeof toRecurrence>;
  /** Minutes of the day. */
  readonly times: readonly { readonly start: number; readonly end: number }[];
}

/** The enabled rules of users. */
async function readRules(
  tx: Tx,
  companyId: number,
  users: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredRule[]>> {
  if (users.length === 0) return new Map();
  const rows = await ruleRows(tx)
    .where('r.company_id', '=', companyId)
    .where('r.disabled', '=', false)
    .where(
      sql<boolean>`exists (select from rule_providers p where p.rule_id = r.rule_id and p.user_id = any(${users}::bigint[]))`,
    )
    .execute();
  const found = new Map<number, StoredRule[]>();
  for (const row of rows) {
    const rule = { recurrence: toRecurrence(row), times: row.times };
    for (const { userId } of row.providers) found.set(userId, [...(found.get(userId) ?? []), rule]);
  }
  return found;
}
