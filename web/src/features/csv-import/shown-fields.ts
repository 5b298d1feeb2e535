import type { FieldName, ImportType } from '@roomside/contract/csv-import/fields.ts';
import {
  type AppointmentOfRow,
  importedAs,
  readAppointmentRow,
} from '@roomside/contract/csv-import/read-appointment.ts';
import { type HoursOfRow, readHoursRow } from '@roomside/contract/csv-import/read-hours.ts';
import {
  type PatientOfRow,
  type ReadRow,
  type RowRules,
  readPatientRow,
} from '@roomside/contract/csv-import/read-row.ts';
import { addMinutes, minuteOf } from '@roomside/contract/time.ts';
import { formatDate, formatDateTime, formatMinute } from '../../time/time.ts';
import { formatPhone } from '../../ui/phone.ts';
import { texts } from './texts.ts';

/** A column of the preview. */
export interface ShownField<Values> {
  readonly label: string;
  /** The fields whose columns it is read of; of the first one, what stands in the file is shown with a problem. */
  readonly fields: readonly [FieldName, ...FieldName[]];
  readonly isShort: boolean;
  /** Written as a method, so that each kind has its own values. */
  text(values: Partial<Values>, rules: RowRules): string;
}

interface ShownKind<Values = object> {
  read(cells: readonly string[], rules: RowRules): ReadRow<Values>;
  readonly fields: readonly ShownField<Values>[];
}

const { shown } = texts;
const timeText = (time: string | undefined) => (time === undefined ? '' : formatMinute(minuteOf(time)));
const dateOf = (day: string | null | undefined) => (day ? formatDate(day) : '');

const patient: ShownKind<PatientOfRow> = {
  read: readPatientRow,
  fields: [
    { label: shown.firstName, fields: ['firstName'], isShort: false, text: (values) => values.firstName ?? '' },
    { label: shown.lastName, fields: ['lastName'], isShort: false, text: (values) => values.lastName ?? '' },
    { label: shown.birthDate, fields: ['doB'], isShort: true, text: (values) => dateOf(values.birthDate) },
    {
      label: shown.phones,
      fields: ['phone', 'phone2', 'phone3'],
      isShort: true,
      text: (values) => (values.phones ?? []).map(formatPhone).join('\n'),
    },
    { label: shown.email, fields: ['email'], isShort: true, text: (values) => values.email ?? '' },
    { label: shown.externalId, fields: ['externalId'], isShort: false, text: (values) => values.externalId ?? '' },
  ],
};

const appointment: ShownKind<AppointmentOfRow> = {
  read: readAppointmentRow,
  fields: [
    {
      label: shown.start,
      fields: ['start', 'time'],
      isShort: true,
      text: ({ startsAt }, { timeZone }) => (startsAt === undefined ? '' : formatDateTime(startsAt, timeZone)),
    },
    {
      label: shown.minutes,
      fields: ['minutes', 'end'],
      isShort: true,
      text: ({ minutes }) => (minutes === null || minutes === undefined ? texts.usualLength : String(minutes)),
    },
    { label: shown.provider, fields: ['provider'], isShort: true, text: (values) => values.provider ?? '' },
    {
      label: shown.patient,
      fields: ['firstName', 'lastName'],
      isShort: false,
      text: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' '),
    },
    { label: shown.birthDate, fields: ['doB'], isShort: true, text: (values) => dateOf(values.birthDate) },
    {
      label: shown.patientId,
      fields: ['patientExternalId'],
      isShort: false,
      text: (values) => values.patientExternalId ?? '',
    },
    {
      label: shown.status,
      fields: ['status'],
      isShort: true,
      text: ({ status, startsAt, minutes }) =>
        startsAt === undefined
          ? ''
          : texts.statuses[importedAs(status, addMinutes(startsAt, minutes ?? 0), new Date().toISOString())],
    },
    { label: shown.appointmentId, fields: ['externalId'], isShort: false, text: (values) => values.externalId ?? '' },
  ],
};

const hours: ShownKind<HoursOfRow> = {
  read: readHoursRow,
  fields: [
    { label: shown.provider, fields: ['provider'], isShort: true, text: (values) => values.provider ?? '' },
    {
      label: shown.days,
      fields: ['weekday'],
      isShort: true,
      text: ({ weekMask = 0 }) => texts.weekdays.filter((_, day) => (weekMask >> day) & 1).join(', '),
    },
    { label: shown.from, fields: ['from'], isShort: true, text: (values) => timeText(values.from) },
    { label: shown.to, fields: ['to'], isShort: true, text: (values) => timeText(values.to) },
    { label: shown.firstDay, fields: ['validFrom'], isShort: true, text: (values) => dateOf(values.validFrom) },
    { label: shown.lastDay, fields: ['validUntil'], isShort: true, text: (values) => dateOf(values.validUntil) },
  ],
};

/** How the preview reads and shows the rows of each kind. */
export const shownKinds: Readonly<Record<ImportType, ShownKind>> = {
  Patient: patient,
  Appointment: appointment,
  WeeklyHours: hours,
};
