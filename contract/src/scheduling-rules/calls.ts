import * as z from 'zod/mini';
import { outsideAppointment } from '../appointments/outside-appointment.ts';
import { call } from '../call.ts';
import { limits, maxEvery } from '../limits.ts';
import { providers, staff } from '../permissions.ts';
import { date, id, idOrZero, listQuery, listResult, requiredLine, version, wallTime } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

export const ruleColumns = ['ruleId', 'description', 'from', 'to', 'created'] as const;

const every = (max: number) =>
  z.int({ error: fieldTexts.required }).check(z.gte(0, fieldTexts.notValid), z.lte(max, fieldTexts.notValid));
const mask = (bits: number) => z.int().check(z.gte(0), z.lt(2 ** bits));
const oneOrTwo = z.union([z.literal(1), z.literal(2)]);

/** The pattern of a rule (ENTITY-12, ENTITY-14; the fields are described in recurrence.ts). Dates are company days. */
const recurrenceFields = {
  ruleType: z.enum(['S', 'D', 'W', 'M']),
  activeStartDate: z.string().check(z.regex(/\S/, fieldTexts.required), z.regex(z.regexes.date, fieldTexts.notValid)),
  /** The last day, inclusive; null = no end. Ignored for S. */
  activeEndDate: z.nullable(date),
  dailyType: oneOrTwo,
  everyNday: every(maxEvery.days),
  everyNweek: every(maxEvery.weeks),
  everyNmonth: every(maxEvery.months),
  weekMask: mask(7),
  /** Bit day - 1; bit 32 = the last day, so 32-bit operators cannot be used. */
  monthMask: mask(33),
  yearMask: mask(12),
  weekMonthMask: mask(6),
  monthlyType1: oneOrTwo,
  monthlyType2: oneOrTwo,
};

const wallTimeOr24 = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, fieldTexts.notValid));

/** Wall times of the company's day, 'HH:mm'; the end may be '24:00'. */
const ruleTime = z.object({ startTime: wallTime, endTime: wallTimeOr24 }).check(
  z.refine((time) => !time.startTime || !time.endTime || time.startTime < time.endTime, {
    error: fieldTexts.endAfterStart,
    path: ['endTime'],
  }),
);

/** The editable rule (ENTITY-12, VALID-28). `ruleId` 0 = new. */
const ruleFields = z.object({
  ruleId: idOrZero,
  version,
  description: requiredLine(limits.ruleDescription),
  disabled: z.boolean(),
  ...recurrenceFields,
  apptRulesTimes: z.array(ruleTime).check(z.minLength(1, fieldTexts.timeSlot), z.maxLength(limits.ruleTimes)),
  /** Without disabled and unselected providers. */
  apptRulesPhysicians: z
    .array(z.object({ ruleId: z.optional(idOrZero), physicianId: id }))
    .check(z.minLength(1, fieldTexts.providers), z.maxLength(limits.ruleProviders)),
});
type RuleFields = z.infer<typeof ruleFields>;

const isMonthlyByWeekday = (rule: RuleFields) => rule.ruleType === 'M' && rule.monthlyType1 === 2;
const requires = (error: string, path: keyof RuleFields, isValid: (rule: RuleFields) => boolean) =>
  // RULES-6: a disabled rule is saved without these checks.
  z.refine<RuleFields>((rule) => rule.disabled || isValid(rule), { error, path: [path] });

/** ENTITY-12: fields set by the server; clients send null. */
const serverFields = { createdByUser: z.optional(z.null()), changes: z.optional(z.null()) };

export const ruleBody = z.extend(ruleFields, serverFields).check(
  requires(
    fieldTexts.endBeforeStart,
    'activeEndDate',
    (rule) => rule.ruleType === 'S' || rule.activeEndDate === null || rule.activeEndDate >= rule.activeStartDate,
  ),
  requires(
    fieldTexts.weekday,
    'weekMask',
    (rule) => (rule.ruleType !== 'W' && !isMonthlyByWeekday(rule)) || rule.weekMask > 0,
  ),
  requires(
    fieldTexts.monthDay,
    'monthMask',
    (rule) => rule.ruleType !== 'M' || rule.monthlyType1 === 2 || rule.monthMask > 0,
  ),
  requires(fieldTexts.weekOfMonth, 'weekMonthMask', (rule) => !isMonthlyByWeekday(rule) || rule.weekMonthMask > 0),
  requires(
    fieldTexts.month,
    'yearMask',
    (rule) => rule.ruleType !== 'M' || rule.monthlyType2 === 1 || rule.yearMask > 0,
  ),
);
export type RuleBody = z.infer<typeof ruleBody>;

const recurrence = z.object(recurrenceFields);
const provider = z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() });

/** A row of the list (RULES-1); the pattern in words is computed from the recurrence (ruleWords). */
const ruleRow = z.object({
  ruleId: z.int(),
  description: z.string(),
  disabled: z.boolean(),
  recurrence,
  providers: z.array(provider),
  created: z.string(),
});
export type RuleRow = z.infer<typeof ruleRow>;

/** CALL-29. `filter` matches parts of descriptions. */
export const listRules = call({
  name: 'listRules',
  summary: 'The scheduling rules of the company.',
  method: 'GET',
  path: '/api/rules',
  who: staff,
  query: z.object(listQuery(ruleColumns)),
  result: listResult(ruleRow),
});

export const getRule = call({
  name: 'getRule',
  summary: 'One scheduling rule.',
  method: 'GET',
  path: '/api/rules/:ruleId',
  who: staff,
  params: z.object({ ruleId: id }),
  /** `mayEdit`: whether the caller may save and delete it. Its providers who are disabled now count too. */
  result: z.extend(ruleFields, { created: z.string(), mayEdit: z.boolean() }),
});

/**
 * CALL-29. Doctors save only their own rules. Booked appointments do not change; `outside` are the upcoming ones that were within
 * their provider's windows before and no longer are, at most 200, earliest first.
 */
export const saveRule = call({
  name: 'saveRule',
  summary: 'Creates a scheduling rule (ruleId 0) or saves one.',
  method: 'POST',
  path: '/api/rules',
  who: providers,
  body: ruleBody,
  result: z.object({ ruleId: z.int(), version: z.int(), outside: z.array(outsideAppointment) }),
  creates: true,
  refusals: ['stale', 'key-reused', 'card-number'],
});

export const deleteRule = call({
  name: 'deleteRule',
  summary: 'Deletes a scheduling rule.',
  method: 'DELETE',
  path: '/api/rules/:ruleId',
  who: providers,
  params: z.object({ ruleId: id }),
  result: z.object({ outside: z.array(outsideAppointment) }),
});
