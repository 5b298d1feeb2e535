import { countText } from '@roomside/contract/count-text.ts';
import type { ExportType } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { to } from '../../paths.ts';

const counted = (one: string, many: string) => (count: number) => countText(count, one, many);

interface KindTexts {
  /** The word in the address; undefined = none. */
  readonly param: string | undefined;
  readonly title: string;
  readonly tab: string;
  readonly uploadText: string;
  readonly checkText: string;
  readonly undoText: string;
  readonly counts: Readonly<Record<'rows' | 'created' | 'updated' | 'unchanged' | 'wrong' | 'doubled', string>>;
  readonly wrongNote: string;
  readonly things: (count: number) => string;
  readonly cancelKeep: string;
  readonly cancelRemove: string;
  readonly undone: (removed: number, kept: number) => string;
  readonly undoDetails: readonly string[];
  readonly see: { readonly label: string; readonly path: string };
  readonly export?: { readonly type: ExportType; readonly label: string };
}

const patients = counted('patient', 'patients');
const appointments = counted('appointment', 'appointments');
const rules = counted('rule', 'rules');

const undone =
  (things: (count: number) => string, why: string) =>
  (removed: number, kept: number): string => {
    const done = `The import was undone for ${things(removed)}.`;
    return kept === 0
      ? done
      : `${done} ${things(kept)} ${kept === 1 ? 'was' : 'were'} left as they are, because ${why}.`;
  };

/** Texts of each kind of import. Those of patients are of the specification (CSV-1 to CSV-5). */
export const kindTexts: Readonly<Record<ImportType, KindTexts>> = {
  Patient: {
    param: undefined,
    title: 'Import Patients from CSV',
    tab: 'Patients',
    uploadText:
      'Upload the list of patients that another system or a spreadsheet has saved. Column names, dates and phone numbers are recognized in most spellings. Nothing is changed before you have seen what the import would do.',
    checkText: 'Every row is read and compared with your patients. Nothing is changed yet.',
    undoText: 'New patients are removed, and changed ones get their earlier values back.',
    counts: {
      rows: 'Rows in the file',
      created: 'New patients',
      updated: 'Updated patients',
      unchanged: 'Already up to date',
      wrong: 'Wrong rows',
      doubled: 'Rows of the same patient',
    },
    wrongNote:
      'Wrong rows, and further rows of the same patient, are left out. You can correct them in the downloaded file and upload it later.',
    things: patients,
    cancelKeep:
      'Stop and keep: the patients that were imported so far stay. Import the file again later to add the rest.',
    cancelRemove: 'Stop and undo: new patients are removed, and changed ones get their earlier values back.',
    undone: undone(patients, 'they were edited since, or are new and have appointments'),
    undoDetails: [
      'New patients are removed, and changed ones get their earlier values back.',
      'New patients who have appointments, and patients that were edited since, stay as they are. If you imported their appointments, too, undo that import first.',
    ],
    see: { label: 'See the patients', path: to.patientList() },
    export: { type: 'Patient', label: 'Download all patients' },
  },
  Appointment: {
    param: 'appointments',
    title: 'Import appointments from CSV',
    tab: 'Appointments',
    uploadText:
      'Upload past and upcoming appointments. Import the patients first: each row names its patient by external ID, or by name and birth date, and its provider by email or name. Times are in your clinic’s time zone. No provider is booked twice, and no invitations are sent.',
    checkText: 'Every row is read and compared with your patients, providers and appointments. Nothing is changed yet.',
    undoText: 'Imported appointments are removed.',
    counts: {
      rows: 'Rows in the file',
      created: 'New appointments',
      updated: 'Updated appointments',
      unchanged: 'Already there',
      wrong: 'Wrong rows',
      doubled: 'Rows of the same appointment',
    },
    wrongNote:
      'Wrong rows, and those for which the provider is taken, are left out. You can correct them in the downloaded file and upload it later.',
    things: appointments,
    cancelKeep:
      'Stop and keep: the appointments that were imported so far stay. Import the file again later to add the rest.',
    cancelRemove: 'Stop and undo: imported appointments are removed.',
    undone: undone(appointments, 'they were edited since, took place, or their patients know of them'),
    undoDetails: [
      'Imported appointments are removed. Their patients are not notified.',
      'Appointments that were edited since, took place, or of which the patient was notified, stay as they are.',
    ],
    see: { label: 'See the appointments', path: to.appointmentList() },
    export: { type: 'Appointment', label: 'Download all appointments' },
  },
  WeeklyHours: {
    param: 'hours',
    title: 'Import weekly hours from CSV',
    tab: 'Weekly hours',
    uploadText:
      'Upload a table with the weekly hours of your providers: provider, days of the week, from, to, and a first and last day if you like. Each row becomes a scheduling rule. Providers with rules can only be booked by link within them.',
    checkText: 'Every row is read and compared with your providers and scheduling rules. Nothing is changed yet.',
    undoText: 'Imported rules are removed.',
    counts: {
      rows: 'Rows in the file',
      created: 'New rules',
      updated: 'Updated rules',
      unchanged: 'Already there',
      wrong: 'Wrong rows',
      doubled: 'Repeated rows',
    },
    wrongNote:
      'Wrong rows, and those that overlap other hours of the provider, are left out. You can correct them in the downloaded file and upload it later.',
    things: rules,
    cancelKeep: 'Stop and keep: the rules that were imported so far stay. Import the file again later to add the rest.',
    cancelRemove: 'Stop and undo: imported rules are removed.',
    undone: undone(rules, 'they were edited since'),
    undoDetails: ['Imported rules are removed.', 'Rules that were edited since stay as they are.'],
    see: { label: 'See the scheduling rules', path: to.adminScheduling() },
  },
};

/** The page of a kind of import. */
export function importPath(type: ImportType): string {
  const { param } = kindTexts[type];
  return param === undefined ? to.adminCsvImport() : `${to.adminCsvImport()}?kind=${param}`;
}

/** The kind of import in an address. */
export const typeOf = (param: string | null): ImportType =>
  (['Appointment', 'WeeklyHours'] as const).find((type) => kindTexts[type].param === param) ?? 'Patient';
