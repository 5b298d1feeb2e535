import * as z from 'zod/mini';
import { call } from '../call.ts';

/** How many weeks the numbers go back, the current one included. */
export const numberWeeks = { min: 1, max: 26, initial: 8 } as const;

const range = z.object({ weeks: z.int().check(z.gte(numberWeeks.min), z.lte(numberWeeks.max)) });

const counts = {
  /** Appointments whose visit has taken place. */
  visits: z.int(),
  missed: z.int(),
  cancelled: z.int(),
  /** Seconds that patients waited for a provider; null without visits. */
  waitMedian: z.nullable(z.int()),
  /** Nine of ten patients waited at most this long, seconds. */
  waitP90: z.nullable(z.int()),
};

/** A week that begins on Sunday; `from` is its first day, YYYY-MM-DD. */
const week = z.object({ from: z.string(), ...counts });
export type WeekNumbers = z.infer<typeof week>;

const provider = z.object({
  userId: z.int(),
  firstName: z.string(),
  lastName: z.string(),
  /** Minutes of appointments that were not cancelled. */
  bookedMinutes: z.int(),
  /** Minutes in which the provider could be booked; null for someone who is no provider any more: since when is not stored. */
  openMinutes: z.nullable(z.int()),
});
export type ProviderNumbers = z.infer<typeof provider>;

/** What checks of patients' devices have found that is not in order. */
const deviceProblem = z.object({
  part: z.enum(['camera', 'microphone', 'speaker', 'connection']),
  result: z.string(),
  count: z.int(),
});
export type DeviceProblem = z.infer<typeof deviceProblem>;

/** The clinic's numbers of the last weeks up to now, in the company's zone. They contain no patients. */
export const getNumbers = call({
  name: 'getNumbers',
  summary: 'Visits, waits, missed appointments, utilization and device problems of the last weeks.',
  method: 'GET',
  path: '/api/numbers',
  who: ['A'],
  query: range,
  result: z.object({
    from: z.string(),
    to: z.string(),
    /** Of all weeks together. */
    total: z.object(counts),
    weeks: z.array(week),
    providers: z.array(provider),
    /** Devices that were checked. */
    checks: z.int(),
    deviceProblems: z.array(deviceProblem),
  }),
});

export const numberTables = ['weeks', 'waits', 'providers', 'devices'] as const;

/** One table of {@link getNumbers}. */
export const downloadNumbers = call({
  name: 'downloadNumbers',
  summary: 'A table of the numbers as CSV.',
  method: 'GET',
  path: '/api/numbers/csv',
  who: ['A'],
  query: z.object({ ...range.shape, table: z.enum(numberTables) }),
  format: 'text/csv',
});

/** What an administrator of a clinic, or of the installation, should act on. */
const attention = z.object({
  kind: z.enum([
    'refund-refused',
    'email-failing',
    'texts-failing',
    'license-ends',
    'unreachable-patients',
    'without-factor',
    // For a Super only; they also get failing messages, of all clinics.
    'licenses-end',
    'licenses-ended',
    'supers-without-factor',
  ]),
  /** Messages, appointments, users or clinics; 0 for the own license, or when only mails to users wait. */
  count: z.int(),
  /** The license's last day + 1, or the first of several, YYYY-MM-DD; '' for others. */
  date: z.string(),
  /** For a Super, of licenses and messages: how many clinics they are of, and which one when it is a single one. */
  clinics: z.optional(z.object({ count: z.int(), companyId: z.nullable(z.int()) })),
  /** Of failing messages: their server has not been reachable since then. */
  since: z.optional(z.string()),
  /** Of a refused refund: the oldest of these appointments. */
  appointment: z.optional(z.object({ appointmentId: z.int(), patientId: z.int() })),
});
export type Attention = z.infer<typeof attention>;

/** A Super gets what concerns the installation: counts, and no patients. */
export const listAttention = call({
  name: 'listAttention',
  summary: 'What an administrator of a clinic or of the installation should act on.',
  method: 'GET',
  path: '/api/attention',
  who: ['A', 'Super'],
  result: z.object({ data: z.array(attention) }),
});
