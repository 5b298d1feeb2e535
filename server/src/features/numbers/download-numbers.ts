import { downloadNumbers as call, type numberTables } from '@roomside/contract/numbers/calls.ts';
import { csvLine } from '../../platform/csv.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { rangeOf, readNumbers } from './read-numbers.ts';

type Numbers = Awaited<ReturnType<typeof readNumbers>>;

/** The lines of each table; waits in seconds. */
const linesOf: Record<(typeof numberTables)[number], (numbers: Numbers) => (string | number)[][]> = {
  weeks: ({ weeks }) => [
    ['Week from', 'Visits', 'Missed', 'Cancelled', 'Median wait (s)', '90th percentile wait (s)'],
    ...weeks.map((week) => [
      week.from,
      week.visits,
      week.missed,
      week.cancelled,
      week.waitMedian ?? '',
      week.waitP90 ?? '',
    ]),
  ],
  waits: ({ weeks }) => [
    ['Week from', 'Visits', 'Median wait (s)', '90th percentile wait (s)'],
    ...weeks.map((week) => [week.from, week.visits, week.waitMedian ?? '', week.waitP90 ?? '']),
  ],
  providers: ({ providers }) => [
    ['Provider', 'Booked (min)', 'Open (min)'],
    ...providers.map((one) => [`${one.firstName} ${one.lastName}`, one.bookedMinutes, one.openMinutes ?? '']),
  ],
  devices: ({ deviceProblems, checks }) => [
    ['Part', 'Result', 'Patients', 'Checked'],
    ...deviceProblems.map(({ part, result, count }) => [part, result, count, checks]),
  ],
};

export const downloadNumbers = forStaff(call, async ({ caller, query, tx, now }) => {
  const range = rangeOf(query.weeks, caller.timeZone, now);
  const numbers = await readNumbers(tx, caller, range, now);
  // Spreadsheets recognize UTF-8 by the byte order mark.
  return {
    fileName: `${query.table}_${range.from}_${range.to}.csv`,
    text: `\ufeff${linesOf[query.table](numbers).map(csvLine).join('')}`,
  };
});
