import { readProvider } from './read-appointment.ts';
import { cellsOf, present, type ReadRow, type RowRules } from './read-row.ts';
import { readDayOfMoment, readTimeOfMoment } from './read-times.ts';
import { cellText, type ReadValue, refuse } from './read-values.ts';

/** Hours of a provider's week as a row says. */
export interface HoursOfRow {
  /** An email or a name. */
  readonly provider: string;
  /** Bit 0 = Sunday. */
  readonly weekMask: number;
  /** 'HH:mm'; the end may be '24:00'. */
  readonly from: string;
  readonly to: string;
  /** YYYY-MM-DD; null = the row does not say. */
  readonly validFrom: string | null;
  readonly validUntil: string | null;
}

/** Reads hours of the cells of a row. A row with a problem is not imported. */
export function readHoursRow(cells: readonly string[], rules: RowRules): ReadRow<HoursOfRow> {
  const row = cellsOf(cells, rules);
  if ('refused' in row) return { values: {}, problems: row.refused };
  const { value, problems } = row;
  const provider = value('provider', readProvider, undefined);
  const weekMask = value('weekday', readWeekdays, undefined);
  const from = value('from', (cell) => readWallTime(cell, rules), undefined);
  const to = value(
    'to',
    (cell) => {
      const end = readEnd(cell, rules);
      return 'value' in end && from !== undefined && end.value <= from ? refuse('end-order') : end;
    },
    undefined,
  );
  const validFrom = value('validFrom', (cell) => readOptionalDay(cell, rules), null);
  const validUntil = value(
    'validUntil',
    (cell) => {
      const last = readOptionalDay(cell, rules);
      const isBefore = 'value' in last && last.value !== null && validFrom && last.value < validFrom;
      return isBefore ? refuse('day-order') : last;
    },
    null,
  );
  return { values: present({ provider, weekMask, from, to, validFrom, validUntil }), problems };
}

/** A day of a rule has a year of these centuries, as everywhere. */
function readOptionalDay(cell: string, rules: RowRules): ReadValue<string | null> {
  if (cellText(cell) === '') return { value: null };
  const day = readDayOfMoment(cell, rules);
  return 'value' in day && !/^(?:19|20|21)/.test(day.value) ? refuse('date') : day;
}

/** A time of day in whole minutes, 'HH:mm'. */
function readWallTime(cell: string, rules: RowRules): ReadValue<string> {
  const read = readTimeOfMoment(cell, rules);
  if ('problem' in read) return read;
  return read.value.endsWith(':00.000') ? { value: read.value.slice(0, 5) } : refuse('time');
}

/** As {@link readWallTime}; midnight is the end of the day. */
function readEnd(cell: string, rules: RowRules): ReadValue<string> {
  if (/^24:?00(?::00)?$/.test(cellText(cell))) return { value: '24:00' };
  const read = readWallTime(cell, rules);
  return 'value' in read && read.value === '00:00' ? { value: '24:00' } : read;
}

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const dayName =
  /^(sun(?:days?)?|mon(?:days?)?|tue(?:s(?:days?)?)?|wed(?:nesdays?)?|thu(?:r(?:s(?:days?)?)?)?|fri(?:days?)?|sat(?:urdays?)?)\.?$/i;
const groups: Readonly<Record<string, number>> = {
  weekdays: 0b0111110,
  weekday: 0b0111110,
  weekends: 0b1000001,
  weekend: 0b1000001,
  daily: 0b1111111,
  everyday: 0b1111111,
};

/** Days of the week as a mask, bit 0 = Sunday: Monday; Mon, Wed; Mon–Fri; weekdays; daily. */
export function readWeekdays(cell: string): ReadValue<number> {
  const text = cellText(cell).toLowerCase();
  if (text === '') return refuse('required');
  const group = groups[text.replace(/[\s-]/g, '')];
  if (group !== undefined) return { value: group };
  const joined = text.replace(/\s*(?:-|\u2010|\u2011|\u2012|\u2013|\u2014|\bto\b|\bthrough\b)\s*/g, '-');
  let mask = 0;
  for (const part of joined.split(/[\s,;/&+|]+|\band\b/).filter(Boolean)) {
    const days = part.split('-').map((one) => dayNumberOf(one));
    const [from] = days;
    const to = days.length === 1 ? from : days[1];
    if (days.length > 2 || from === undefined || to === undefined) return refuse('weekday');
    for (let day = from; ; day = (day + 1) % 7) {
      mask |= 1 << day;
      if (day === to) break;
    }
  }
  return mask === 0 ? refuse('weekday') : { value: mask };
}

function dayNumberOf(name: string): number | undefined {
  return dayName.test(name) ? names.indexOf(name.slice(0, 3)) : undefined;
}
