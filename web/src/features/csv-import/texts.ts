import type { FieldName } from '@roomside/contract/csv-import/fields.ts';
import type { DateOrder, Encoding, NameCase, Separator, ShortYears } from '@roomside/contract/csv-import/reading.ts';

const number = (count: number) => count.toLocaleString('en-US');
const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
const patients = (count: number) => plural(count, 'patient', 'patients');

/** Texts of the import of patients (CSV-1 to CSV-5). */
export const texts = {
  title: 'Import Patients from CSV',
  steps: ['Upload a CSV File', 'Map the Fields', 'Done'],
  stepsLabel: 'Steps of the import',
  step: (at: number, of: number) => `Step ${at} of ${of}`,
  stepDone: 'done',
  back: 'Back',
  backLabel: 'Back to the previous page',

  uploadText:
    'Upload the list of patients that another system or a spreadsheet has saved. Column names, dates and phone numbers are recognized in most spellings. Nothing is changed before you have seen what the import would do.',
  choose: 'Choose a CSV file',
  orDrop: 'or drop it here',
  dropNow: 'Drop the file to upload it',
  onlyCsv:
    'Only files whose names end in .csv can be uploaded. In a spreadsheet program, save the table as “CSV UTF-8”.',
  oneFile: 'Please drop one file at a time.',
  tooLarge: (max: string) => `This file is larger than ${max}. Please split it.`,
  emptyFile: 'This file is empty.',
  uploading: (name: string) => `Uploading ${name}`,
  uploadProgress: 'Progress of the upload',
  percent: (percent: number) => `${percent}%`,
  stopUpload: 'Cancel the upload',

  mapText: 'Check that each field has the right column. The first rows are shown as they will be read.',
  hasHeader: 'The file has column headers',
  fileSettings: 'How the file is read',
  encoding: 'Characters',
  separator: 'Separator',
  dateOrder: 'Dates like',
  shortYears: (last: string) => `Years 00 to ${last}`,
  nameCase: 'Names in capitals',
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16 (big-endian)',
    'windows-1252': 'Windows (Western)',
    macintosh: 'Mac (Western)',
  } satisfies Record<Encoding, string>,
  separators: { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Vertical bar' } satisfies Record<Separator, string>,
  dateOrders: { mdy: '12/31/1980', dmy: '31/12/1980' } satisfies Record<DateOrder, string>,
  yearRules: {
    refuse: 'Leave out',
    '1900': '1900s',
    '2000': '2000s',
  } satisfies Record<ShortYears, string>,
  nameCases: { keep: 'Keep', capitalize: 'Write as Ann Lee' } satisfies Record<NameCase, string>,
  fields: 'Columns of the fields',
  notMapped: 'Not in the file',
  column: (at: number) => `Column ${at}`,
  oneNameColumn: 'Both names are in one column: “Lee, Ann” or “Ann Lee”.',
  preview: 'The first rows',
  previewText: (shown: number) => `The first ${plural(shown, 'row', 'rows')}, as they will be read`,
  previewEmpty: 'There are no rows behind the column headers.',
  row: 'Row',
  wholeRow: 'Row',
  fieldNames: {
    firstName: 'First name',
    lastName: 'Last name',
    doB: 'Birth date',
    phone: 'Phones',
    email: 'Email',
    externalId: 'External ID',
    phone2: 'Second phone',
    phone3: 'Third phone',
  } satisfies Record<FieldName, string>,
  upload: 'Upload',

  checking: (percent: number) => `Checking the file: ${percent}%`,
  checkText: 'Every row is read and compared with your patients. Nothing is changed yet.',
  importing: (percent: number) => `Importing: ${percent}%`,
  importText: 'You can leave this page, and everyone can keep working. The import goes on.',
  undoing: (percent: number) => `Undoing the import: ${percent}%`,
  undoText: 'New patients are removed, and changed ones get their earlier values back.',
  progress: 'Progress',
  otherImport: (name: string) => `Started by ${name}.`,

  checked: 'What the import will do',
  checkedText: 'Nothing has been changed yet.',
  counts: {
    rows: 'Rows in the file',
    created: 'New patients',
    updated: 'Updated patients',
    unchanged: 'Already up to date',
    wrong: 'Wrong rows',
    doubled: 'Rows of the same patient',
  },
  cutOff: 'The file doesn’t end with a line break. Please check that its last row is complete.',
  nothing: 'None of the rows can be imported. Check the columns, or correct the file.',
  wrongNote:
    'Wrong rows, and further rows of the same patient, are left out. You can correct them in the downloaded file and upload it later.',
  startImport: (count: number) => `Import ${patients(count)}`,
  change: 'Change the fields',
  wrongRows: 'Rows that are left out',
  wrongRowsShown: (shown: number) =>
    `These are the first ${number(shown)} problems. The downloaded file has all of them.`,
  line: 'Line',
  columnHead: 'Column',
  value: 'Value',
  problem: 'Problem',
  download: 'Download these rows',
  downloadName: (name: string) => `${name.replace(/\.csv$/i, '')} wrong rows.csv`,

  cancelCheck: 'Cancel the check',
  cancelImport: 'Cancel the import',
  cancelQuestion: 'Cancel the import?',
  cancelKeep:
    'Stop and keep: the patients that were imported so far stay. Import the file again later to add the rest.',
  cancelRemove: 'Stop and undo: new patients are removed, and changed ones get their earlier values back.',
  goOn: 'Go on importing',
  stopKeep: 'Stop and keep',
  stopRemove: 'Stop and undo',
  stopped: 'Cancelled.',

  /** CSV-4. */
  done: (count: number) => `${number(count)} record(s) have been uploaded`,
  cancelled: 'The import was canceled. What was imported before is kept.',
  failed: 'The import stopped because of a problem of the server. What was imported before is kept. Please try again.',
  checkFailed: 'The file could not be checked because of a problem of the server. Please upload it again.',
  undone: (removed: number, kept: number) =>
    kept === 0
      ? `The import was undone for ${patients(removed)}.`
      : `The import was undone for ${patients(removed)}. ${patients(kept)} ${kept === 1 ? 'was' : 'were'} left as they are, because they were edited since or have appointments.`,
  uploadMore: 'Upload More',
  seePatients: 'See the patients',
  undo: 'Undo this import',
  undoUntil: (until: string) => `You can undo it until ${until}.`,
  undoQuestion: 'Undo this import?',
  undoDetails: [
    'New patients are removed, and changed ones get their earlier values back.',
    'Patients that were edited since, or have appointments, stay as they are.',
  ],
  keepImport: 'Keep it',

  past: 'Past imports',
  pastBy: (name: string, at: string) => `${name}, ${at}`,
  pastCounts: (created: number, updated: number, unchanged: number, left: number) =>
    [
      `${number(created)} new`,
      `${number(updated)} updated`,
      `${number(unchanged)} up to date`,
      `${number(left)} left out`,
    ].join(' · '),
  states: {
    uploaded: 'Uploaded',
    checking: 'Checking',
    checked: 'Checked',
    importing: 'Running',
    done: 'Done',
    cancelled: 'Canceled',
    undoing: 'Undoing',
    undone: 'Undone',
    failed: 'Failed',
  },
  wrongRowsOf: (name: string) => `Download the wrong rows of ${name}`,
  undoOf: (name: string) => `Undo the import of ${name}`,
  wrongRowsShort: 'Wrong rows',
  undoShort: 'Undo',
  openShort: 'Open',
  openOf: (name: string) => `Open the import of ${name}`,
} as const;
