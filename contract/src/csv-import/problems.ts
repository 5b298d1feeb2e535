import { durationBounds, limits } from '../limits.ts';
import { fieldTexts } from '../texts.ts';

const longDate = 'Write it like 1980-12-31.';

/**
 * Why a row is not imported. `detail` is a number that the text needs: a line, a count, a limit.
 */
export const problemTexts = {
  quote: () => 'A quotation mark is in the wrong place, so that the row cannot be divided into columns.',
  'open-quote': () => 'A quotation mark is never closed. Everything behind it cannot be read.',
  'too-long': () => 'This row is too long. A quotation mark or a line break may be missing.',
  'cells-missing': (cells: number) => `The row has only ${cells} columns. It may be cut off.`,
  'cells-extra': (cells: number) => `The row has ${cells} columns, more than the first row.`,
  double: (line: number) => `The same patient as in line ${line}.`,
  'same-row': (line: number) => `The same as in line ${line}.`,
  several: (patients: number) => `${patients} patients match. Merge them, or add the external ID of one.`,
  'other-external': () => 'A patient with this name, birth date, and phone or email has another external ID.',
  'other-person': () => 'The patient with this external ID has another name and another birth date.',
  'too-many-phones': () => `The patient would have more than ${limits.patientPhones} phones.`,
  contact: () => fieldTexts.contact,
  required: () => fieldTexts.required,
  'max-length': (max: number) => fieldTexts.maxLength(max),
  unreadable: () => 'Has characters that cannot be read. Try another encoding.',
  hidden: () => 'Has a line break or a character that cannot be shown.',
  'name-split': () => 'Cannot be divided into first and last name. Write it as “Lee, Ann”.',
  date: () => `Isn’t a date. ${longDate}`,
  'date-order': () => 'Isn’t a date in this order of day and month.',
  'date-day': () => 'There is no such day.',
  'short-year': () => `The year can be in two centuries. ${longDate}`,
  'date-future': () => 'Is in the future.',
  'date-old': () => 'Is before 1900.',
  'date-time': () => 'Has a time of day. A birth date has none.',
  phone: () => 'Isn’t a US phone number of ten digits.',
  'phone-extension': () => 'Has an extension, which cannot be stored.',
  'phone-shortened': () => 'Was shortened by a spreadsheet. Format the column as text and save the file again.',
  email: () => fieldTexts.doesntSeemValid,
  'card-number': () => 'Looks like a card number, which must not be stored.',
  'patient-needed': () => 'Needs the patient’s external ID, or first name, last name and birth date.',
  'patient-unknown': () => 'No patient has this external ID, or this name and birth date. Import the patients first.',
  'provider-unknown': () => 'No user of the clinic has this email or name.',
  'provider-several': (count: number) => `${count} users have this name. Write the email.`,
  'provider-disabled': () => 'This user is disabled, or sees no patients.',
  time: () => 'Isn’t a time of day. Write it like 2:30 PM or 14:30.',
  'time-missing': () => 'Has no time of day.',
  'time-gap': () => 'This time does not exist: the clocks go forward over it.',
  'start-range': () => 'Is before 2000, or more than five years ahead.',
  length: () => `Isn’t a length of ${durationBounds.min} to ${durationBounds.max} minutes.`,
  'end-order': () => fieldTexts.endAfterStart,
  status: () => 'Isn’t a status. Write Scheduled or Cancelled.',
  overlap: () => 'The provider has another appointment at this time.',
  'overlap-calendar': () => 'The provider is busy in their own calendar then.',
  'overlap-row': (line: number) => `The provider is taken at this time by line ${line}.`,
  differs: () =>
    'This appointment is already there with another patient, provider, time, length or status. It stays as it is.',
  weekday: () => 'Isn’t a day of the week. Write Monday, or Mon–Fri.',
  'day-order': () => fieldTexts.endBeforeStart,
  'overlap-rule': () => 'The provider already has hours at this time on such a day.',
} as const satisfies Record<string, (detail: number) => string>;

export type ProblemCode = keyof typeof problemTexts;
export const problemCodes = Object.keys(problemTexts) as [ProblemCode, ...ProblemCode[]];

/** One reason why a row is not imported. */
export interface RowProblem {
  readonly code: ProblemCode;
  /** The column, from 0; null = the whole row. */
  readonly columnIdx: number | null;
  /** See {@link problemTexts}; 0 for texts without a number. */
  readonly detail: number;
}

export const problemText = ({ code, detail }: Pick<RowProblem, 'code' | 'detail'>): string =>
  (problemTexts as Record<ProblemCode, (detail: number) => string>)[code](detail);
