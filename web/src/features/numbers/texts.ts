import type { Attention, DeviceProblem } from '@roomside/contract/numbers/calls.ts';
import { formatDate } from '../../time/time.ts';

const appointments = (count: number) => (count === 1 ? '1 appointment' : `${count} appointments`);
const messages = (count: number, kind: string) => (count === 1 ? `1 ${kind}` : `${count} ${kind}s`);
const clinics = (count: number) => (count === 1 ? '1 clinic' : `${count} clinics`);
/** A Super's are of several clinics. */
const messagesOf = ({ count, clinics: of }: Attention, kind: string) =>
  of ? `${messages(count, kind)} of ${clinics(of.count)}` : messages(count, kind);

const undelivered = (item: Attention, kind: string) =>
  `${messagesOf(item, kind)} could not be delivered in the last 24 hours.`;
/** A message of a server that does not answer. */
const outage = (server: string, since: string, item: Attention, kind: string) =>
  [
    `The ${server} hasn’t been reachable since ${since}.`,
    ...(item.count === 0 ? [] : [undelivered(item, kind)]),
    item.clinics
      ? 'We keep trying to send what is still due.'
      : 'We keep trying to send what is still due. If this goes on, contact your IT support.',
  ].join(' ');

/** Texts of the numbers and of what needs attention on the first page of administrators. */
export const texts = {
  attention: 'Needs attention',
  nothing: 'Nothing needs your attention.',
  /** `since`: the time of `item.since`, written out in the clinic's zone. */
  attentionIs: {
    'refund-refused': ({ count }) =>
      `${count === 1 ? '1 refund was' : `${count} refunds were`} not made. Refund the card in your account at the payment processor, or return the money another way and update “Collected”.`,
    'email-failing': (item, since) =>
      since ? outage('mail server', since, item, 'email') : undelivered(item, 'email'),
    'texts-failing': (item, since) =>
      since ? outage('text message service', since, item, 'text message') : undelivered(item, 'text message'),
    'license-ends': ({ date }) => `Your license ends on ${formatDate(date)}.`,
    'unreachable-patients': ({ count }) =>
      `${appointments(count)} in the next 7 days: no reminder can reach the patient. Check the email and the phone: they are missing, or messages to them were refused.`,
    'without-factor': ({ count }) => `${count === 1 ? '1 user' : `${count} users`} without a second factor.`,
    'licenses-end': ({ count, date }) =>
      count === 1
        ? `The license of 1 clinic ends on ${formatDate(date)}.`
        : `The licenses of ${count} clinics end in the next 30 days, the first on ${formatDate(date)}.`,
    'licenses-ended': ({ count, date }) =>
      count === 1
        ? `The license of 1 clinic ended on ${formatDate(date)}.`
        : `The licenses of ${count} clinics have ended, the first on ${formatDate(date)}.`,
    'supers-without-factor': ({ count }) =>
      `${count === 1 ? '1 administrator' : `${count} administrators`} of the installation without a second factor.`,
  } satisfies Record<Attention['kind'], (item: Attention, since: string | undefined) => string>,
  show: {
    appointment: 'Open the appointment',
    appointments: 'Open the appointments',
    license: 'Open licensing',
    users: 'Show these users',
    company: 'Open the company',
    companies: 'Open the companies',
  },
  numbers: 'Numbers',
  weeks: (count: number) => (count === 1 ? 'This week' : `${count} weeks`),
  weeksLabel: 'Period',
  visits: 'Visits',
  missed: 'Missed',
  cancelled: 'Cancelled',
  medianWait: 'Median wait',
  p90Wait: '90% wait at most',
  none: 'None yet',
  perWeek: 'Visits and missed appointments per week',
  waits: 'Waiting time per week, in minutes',
  utilization: 'Utilization per provider',
  devices: 'Device problems before visits',
  noProviders: 'No providers yet.',
  noProblems: (checks: number) =>
    checks === 0 ? 'No devices were checked in this period.' : `All ${checks} checked devices were in order.`,
  problem: {
    camera: 'Camera',
    microphone: 'Microphone',
    speaker: 'Speaker',
    connection: 'Connection',
  } satisfies Record<DeviceProblem['part'], string>,
  result: {
    missing: 'not found',
    refused: 'not allowed',
    busy: 'in use by another program',
    silent: 'silent',
    poor: 'poor',
    failed: 'failed',
  } as Readonly<Record<string, string>>,
  ofChecked: (count: number, checks: number) => `${count} of ${checks}`,
  booked: (booked: string, open: string) => `${booked} of ${open}`,
  bookedOnly: (booked: string) => `${booked} booked`,
  former: (name: string) => `${name} (no longer a provider)`,
  table: 'Show as table',
  csv: (what: string) => `Download “${what}” as CSV`,
  columns: { week: 'Week from', provider: 'Provider', booked: 'Booked', open: 'Open', part: 'Part', count: 'Patients' },
  minutes: (seconds: number | null) =>
    seconds === null ? '–' : seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`,
  /** The median and the 90th percentile above a bar. */
  waitRange: (median: number, p90: number) => `${Math.round(median / 60)} – ${Math.round(p90 / 60)}`,
  hours: (minutes: number) => `${Math.round(minutes / 6) / 10} h`,
  percent: (part: number, of: number) => (of === 0 ? '–' : `${Math.round((part / of) * 100)}%`),
} as const;
