import { holdsCardNumber } from '../card-number.ts';
import { limits } from '../limits.ts';
import type { RowProblem } from './problems.ts';
import { type Cells, cellsOf, present, type ReadRow, type RowRules, readNames } from './read-row.ts';
import {
  instantOf,
  lengthOf,
  readDayOfMoment,
  readLength,
  readMoment,
  readTimeOfDay,
  readTimeOfMoment,
  type Wall,
} from './read-times.ts';
import {
  cellText,
  lineProblem,
  type ReadValue,
  readBirthDate,
  readExternalId,
  readName,
  refuse,
} from './read-values.ts';

/** What a row says of the status; `kept` = neither missed nor cancelled. */
export type ImportedStatus = 'kept' | 'missed' | 'cancelled';

/**
 * The status that an imported appointment has at first. One that is over when it is imported was held in the system before, unless the row
 * says otherwise (decision 068). Instants ISO.
 */
export function importedAs(
  status: ImportedStatus | null | undefined,
  endsAt: string,
  now: string,
): 'scheduled' | 'completed' | 'missed' | 'cancelled' {
  if (status === 'cancelled') return 'cancelled';
  if (Date.parse(endsAt) > Date.parse(now)) return 'scheduled';
  return status === 'missed' ? 'missed' : 'completed';
}

/** An appointment as a row says. '' = the row has none. */
export interface AppointmentOfRow {
  readonly externalId: string;
  readonly patientExternalId: string;
  readonly firstName: string;
  readonly lastName: string;
  /** YYYY-MM-DD */
  readonly birthDate: string;
  /** An email or a name. */
  readonly provider: string;
  /** ISO. */
  readonly startsAt: string;
  /** null = the clinic's length. */
  readonly minutes: number | null;
  /** null = the row does not say. */
  readonly status: ImportedStatus | null;
  /** Why it is not created. One that is there with the same values may have them: our exports have all. */
  readonly problemsIfNew: readonly RowProblem[];
}

/** Reads an appointment of the cells of a row. A row with a problem is not imported. */
export function readAppointmentRow(cells: readonly string[], rules: RowRules): ReadRow<AppointmentOfRow> {
  const row = cellsOf(cells, rules);
  if ('refused' in row) return { values: {}, problems: row.refused };
  const { value, problems } = row;
  const problemsIfNew: RowProblem[] = [];
  const externalId = value('externalId', readAppointmentId, '');
  if (externalId !== undefined && holdsCardNumber(externalId))
    problemsIfNew.push({ code: 'card-number', columnIdx: rules.mapping.externalId, detail: 0 });
  const patient = readPatient(row, rules);
  const provider = value('provider', readProvider, undefined);
  const wall = readStart(row, rules);
  const startsAt = wall && readInstant(row, wall, rules, externalId ? problemsIfNew : problems);
  const minutes = wall === undefined || startsAt === undefined ? null : readMinutes(row, rules, startsAt, wall);
  const status = value('status', readStatus, null);
  if (problems.length === 0 && externalId === '' && !isNamed(patient)) problems.push(whole('patient-needed'));
  return { values: present({ externalId, ...patient, provider, startsAt, minutes, status, problemsIfNew }), problems };
}

const whole = (code: RowProblem['code']): RowProblem => ({ code, columnIdx: null, detail: 0 });

type PatientOfAppointment = Pick<AppointmentOfRow, 'patientExternalId' | 'firstName' | 'lastName' | 'birthDate'>;

/** Whether a row says who the patient is. */
export const isNamed = (patient: { [K in keyof PatientOfAppointment]: string | undefined }): boolean =>
  Boolean(patient.patientExternalId || (patient.firstName && patient.lastName && patient.birthDate));

function readPatient(row: Cells, rules: RowRules) {
  const ifFilled =
    <T extends string>(read: (cell: string) => ReadValue<T>) =>
    (cell: string): ReadValue<T | ''> =>
      cellText(cell) === '' ? { value: '' } : read(cell);
  const isOneColumn = rules.mapping.firstName !== null && rules.mapping.firstName === rules.mapping.lastName;
  const isEmpty = isOneColumn && cellText(row.text('firstName')) === '';
  const names = isEmpty ? {} : readNames(rules, row.value, ifFilled(readName));
  return {
    patientExternalId: row.value('patientExternalId', (cell) => readExternalId(cell), ''),
    firstName: names.firstName ?? '',
    lastName: names.lastName ?? '',
    birthDate: row.value(
      'doB',
      ifFilled((cell) => readBirthDate(cell, rules, rules.today)),
      '',
    ),
  };
}

/** The email or the name of a provider. */
export function readProvider(cell: string): ReadValue<string> {
  const text = cellText(cell);
  if (text === '') return refuse('required');
  return lineProblem(text, 2 * limits.name + limits.email) ?? { value: text };
}

/** The start as it is written: in one column, or the time in a second one. */
function readStart(row: Cells, rules: RowRules): Wall | undefined {
  if (cellText(row.text('time')) === '') return row.value('start', (cell) => readMoment(cell, rules), undefined);
  const day = row.value('start', (cell) => readDayOfMoment(cell, rules), undefined);
  const time = row.value('time', (cell) => readTimeOfMoment(cell, rules), undefined);
  return day !== undefined && time !== undefined ? { day, time, offset: null } : undefined;
}

const ownUid = /^[0-9a-f]{32}$/;

/** Our own uid may have digits that look like a card number. */
const readAppointmentId = (cell: string): ReadValue<string> =>
  ownUid.test(cellText(cell)) ? { value: cellText(cell) } : readExternalId(cell, limits.appointmentExternalId);

/** Instants of appointments. New ones are in a shorter range. */
const instants = { first: '1900-01-01T00:00:00.000Z', last: '2200-01-01T00:00:00.000Z' };
const firstNew = '2000-01-01T00:00:00.000Z';
const maxYearsAhead = 5;

/** The start of an appointment. One that no new appointment has is noted as a problem. */
function readInstant(
  row: Cells,
  wall: Wall,
  { timeZone, today, mapping }: RowRules,
  problems: RowProblem[],
): string | undefined {
  const field = cellText(row.text('time')) === '' ? 'start' : 'time';
  const startsAt = row.value(
    field,
    () => {
      const instant = instantOf(wall, timeZone);
      if ('problem' in instant) return instant;
      const isInstant = /^\d/.test(instant.value) && instant.value >= instants.first && instant.value < instants.last;
      return isInstant ? instant : refuse('start-range');
    },
    undefined,
  );
  if (startsAt === undefined) return undefined;
  const lastNew = `${Number(today.slice(0, 4)) + maxYearsAhead}${today.slice(4)}T00:00:00.000Z`;
  if (startsAt < firstNew || startsAt > lastNew)
    problems.push({ code: 'start-range', columnIdx: mapping[field], detail: 0 });
  return startsAt;
}

/** The length, or the time between start and end. */
function readMinutes(row: Cells, rules: RowRules, startsAt: string, wall: Wall): number | null | undefined {
  const minutes = row.value('minutes', readLength, null);
  if (minutes !== null || cellText(row.text('end')) === '') return minutes;
  return row.value(
    'end',
    (cell) => {
      const end = endOf(cell, wall, rules);
      if ('problem' in end) return end;
      const length = (Date.parse(end.value) - Date.parse(startsAt)) / 60_000;
      return length <= 0 ? refuse('end-order') : lengthOf(length);
    },
    null,
  );
}

/** The instant of an end: a moment, or a time of the day of the start; earlier than the start, it is of the next day. */
function endOf(cell: string, start: Wall, rules: RowRules): ReadValue<string> {
  const time = readTimeOfDay(cell);
  if ('problem' in time) {
    const moment = readMoment(cell, rules);
    return 'problem' in moment ? moment : instantOf(moment.value, rules.timeZone);
  }
  const day = time.value >= start.time ? start.day : dayAfter(start.day);
  return instantOf({ day, time: time.value, offset: start.offset }, rules.timeZone);
}

const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

/** What other systems call an appointment. */
const statusWords: Readonly<Record<ImportedStatus, readonly string[]>> = {
  cancelled: ['cancelled', 'canceled', 'cancel', 'deleted', 'declined'],
  missed: ['missed', 'noshow', 'noarrival', 'didnotattend', 'dna'],
  kept: [
    ...['scheduled', 'booked', 'confirmed', 'unconfirmed', 'pending', 'active', 'planned', 'open', 'new'],
    ...['completed', 'complete', 'done', 'finished', 'fulfilled', 'closed', 'checkedin', 'checkedout', 'arrived'],
    ...['attended', 'seen', 'inprogress', 'waiting', 'rescheduled', 'reminded'],
  ],
};
const statusOfWord = new Map(
  (['cancelled', 'missed', 'kept'] as const).flatMap((status) => statusWords[status].map((word) => [word, status])),
);

function readStatus(cell: string): ReadValue<ImportedStatus | null> {
  if (cellText(cell) === '') return { value: null };
  const word = cellText(cell)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  if (/^cancell?ed(by)?/.test(word)) return { value: 'cancelled' };
  const status = statusOfWord.get(word);
  return status === undefined ? refuse('status') : { value: status };
}
