import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { appointmentKind } from './appointments/appointment-kind.ts';
import type { ImportRow } from './claimed.ts';
import { hoursKind } from './hours/hours-kind.ts';
import type { ImportKind } from './kind.ts';
import { patientKind } from './patients/patient-kind.ts';

const kinds: Readonly<Record<ImportType, ImportKind>> = {
  Patient: patientKind,
  Appointment: appointmentKind,
  WeeklyHours: hoursKind,
};

/** What the import of a row imports. */
export const kindOf = ({ type }: Pick<ImportRow, 'type'>): ImportKind => kinds[type as ImportType];
