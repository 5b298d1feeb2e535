import { holdsCardNumber } from '../card-number.ts';
import { limits } from '../limits.ts';
import { emailPattern, isVisibleLine } from '../shape.ts';
import type { ProblemCode } from './problems.ts';
import type { ValueRules } from './reading.ts';

/** A value that was read, or why it cannot be. */
export type ReadValue<T> = { readonly value: T } | { readonly problem: ProblemCode; readonly detail?: number };

export const refuse = (problem: ProblemCode, detail?: number) =>
  detail === undefined ? { problem } : { problem, detail };

/** What an export writes into a cell that is empty. */
const nothing = /^(n\/?a|none|null|nil|unknown|-+|\.)$/i;

/** Returns a cell without the apostrophe that keeps a spreadsheet from running it (`exactCsvLine` of the server writes it). */
export const withoutGuard = (cell: string): string =>
  /^'['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell;

/** Returns the text of a cell, without spaces at its ends and {@link withoutGuard}. */
export const cellText = (cell: string): string => withoutGuard(cell).trim();

/** As {@link cellText}; '' for 'N/A', 'none', '-' and the like. */
export const optionalText = (cell: string): string => {
  const text = cellText(cell);
  return nothing.test(text) ? '' : text;
};

export function lineProblem(text: string, max: number): ReturnType<typeof refuse> | undefined {
  if (text.includes('\ufffd')) return refuse('unreadable');
  if (!isVisibleLine(text)) return refuse('hidden');
  return text.length > max ? refuse('max-length', max) : undefined;
}

/** A name of a person, 1 to 50 characters. */
export function readName(cell: string): ReadValue<string> {
  const text = cellText(cell);
  if (text === '') return refuse('required');
  return lineProblem(text, limits.name) ?? { value: text };
}

/** Divides 'Lee, Ann' and 'Ann Lee'. A name of three or more words without a comma is refused: which word is the last name is not known. */
export function splitName(cell: string): ReadValue<{ firstName: string; lastName: string }> {
  const text = cellText(cell);
  if (text === '') return refuse('required');
  const byComma = text.split(',').map((part) => part.trim());
  if (byComma.length === 2 && byComma.every(Boolean)) {
    const [lastName = '', firstName = ''] = byComma;
    return { value: { firstName, lastName } };
  }
  const words = text.split(/\s+/);
  if (byComma.length > 1 || words.length !== 2) return refuse('name-split');
  const [firstName = '', lastName = ''] = words;
  return { value: { firstName, lastName } };
}

const isShouted = (name: string) => /\p{Lu}.*\p{Lu}/u.test(name) && !/\p{Ll}/u.test(name);

/** Whether both names of a person are in capitals. A single letter says nothing. */
export const areCapitals = (firstName: string, lastName: string): boolean =>
  isShouted(firstName + lastName) && !/\p{Ll}/u.test(firstName + lastName);

const roman = /^(ii|iii|iv|vi{0,3})$/;

/** Writes O'BRIEN-LEE III as O'Brien-Lee III: a capital begins each word and each part after a hyphen or an apostrophe. */
export const capitalize = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\s\-'\u2019.]+/gu, (word) => (roman.test(word) ? word.toUpperCase() : upperFirst(word)))
    .replace(/(['\u2019])S(?=$|[\s-])/gu, '$1s');

const upperFirst = (word: string) => {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
};

/** An external number, at most `max` characters (default: of patients, 50); '' = none. */
export function readExternalId(cell: string, max: number = limits.patientExternalId): ReadValue<string> {
  const text = optionalText(cell);
  const problem = lineProblem(text, max);
  if (problem) return problem;
  return holdsCardNumber(text) ? refuse('card-number') : { value: text };
}

/** An email address; '' = none. 'mailto:' and '<' '>' around it are not part of it. */
export function readEmail(cell: string): ReadValue<string> {
  const text = optionalText(cell)
    .replace(/^mailto:/i, '')
    .replace(/^<(.*)>$/, '$1');
  const problem = lineProblem(text, limits.email);
  if (problem) return problem;
  return text === '' || emailPattern.test(text) ? { value: text } : refuse('email');
}

const phoneLabel =
  /^(?:tel|phone|telephone|home|cell|cellphone|mobile|work|office|main|other|[chwmo])[.:)\s]+|^\([chwm]\)\s*/i;
const phoneLabelBehind = /\s*\(?(?:home|cell|mobile|work|office|[chwm])\)?$/i;
const extension = /\d\s*(?:,|;)?\s*(?:x|ext|extension|#)\.?\s*\d+\s*$/i;

/** The US phone numbers of a cell as ten digits each, in their order and each once. Several are divided by ';', '/', '|', ',' or 'or'. */
export function readPhones(cell: string): ReadValue<readonly string[]> {
  const text = optionalText(cell);
  if (text.includes('\ufffd')) return refuse('unreadable');
  if (text === '') return { value: [] };
  if (/^\d(?:[.,]\d+)?e\+?\d+$/i.test(text)) return refuse('phone-shortened');
  if (extension.test(text)) return refuse('phone-extension');
  const phones: string[] = [];
  for (const part of text.split(/[;/|,\n]|\bor\b|\band\b/i)) {
    if (part.trim() === '') continue;
    const digits = readPhone(part.trim());
    if (digits === undefined) return refuse('phone');
    if (!phones.includes(digits)) phones.push(digits);
  }
  if (phones.length === 0) return refuse('phone');
  return { value: phones };
}

/**
 * (212) 555-0123, 212.555.0123, +1 212 555 0123, 1-212-555-0123, 001 212..., 011 1 212..., tel:+12125550123, 2125550123.0. What begins with + or
 * 011 is a number with its country: other countries have ten digits with it, too.
 */
function readPhone(text: string): string | undefined {
  const bare = text
    .replace(/^tel:/i, '')
    .replace(phoneLabel, '')
    .replace(phoneLabelBehind, '')
    .replace(/^(\d{10,11})\.0$/, '$1');
  if (!/^[+(]?[\d\s().\-\u00a0\u2010-\u2015]+$/.test(bare)) return undefined;
  const digits = bare.replace(/\D/g, '');
  const country = bare.startsWith('+') ? /^1/ : digits.startsWith('011') ? /^0111/ : /^(?:001|1)?(?=\d{10}$)/;
  if (!country.test(digits)) return undefined;
  const national = digits.replace(country, '');
  return /^[2-9]\d{2}[2-9]\d{6}$/.test(national) ? national : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const isoDate = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const compactDate = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;
const partsDate = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})$/;
const dayMonthName = new RegExp(`^(\\d{1,2})[-/. ]+(${monthName})[-/., ]+(\\d{4}|\\d{2})$`, 'i');
const monthNameDay = new RegExp(`^(${monthName})[-/. ]+(\\d{1,2})(?:st|nd|rd|th)?[-/., ]+(\\d{4}|\\d{2})$`, 'i');
const timeBehind = /[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([ap]m)?\s*(?:Z|[+-]\d\d:?\d\d)?$/i;

/**
 * A birth date, as YYYY-MM-DD. `today` is the company's day. Read are ISO dates, dates with names of months, eight digits beginning with the
 * year, and day and month in the order of `dateOrder`. A time of midnight behind a date is ignored.
 */
export function readBirthDate(
  cell: string,
  { dateOrder, shortYears }: Pick<ValueRules, 'dateOrder' | 'shortYears'>,
  today: string,
): ReadValue<string> {
  const typed = cellText(cell);
  if (typed === '') return refuse('required');
  if (typed.includes('\ufffd')) return refuse('unreadable');
  const time = timeBehind.exec(typed);
  if (time && !isMidnight(time)) return refuse('date-time');
  const text = time ? typed.slice(0, time.index).trim() : typed;
  const read = readDay(text, dateOrder, (year) => fullYear(year, shortYears, today));
  if ('problem' in read) return read;
  if (read.value < '1900') return refuse('date-old');
  return read.value > today ? refuse('date-future') : read;
}

/** A calendar day in one of the spellings of {@link readBirthDate}. `yearOf` reads a year; undefined = it may be in two centuries. */
export function readDay(
  text: string,
  dateOrder: ValueRules['dateOrder'],
  yearOf: (year: string) => number | undefined,
): ReadValue<string> {
  const parts = partsOf(text, dateOrder);
  if (!parts) return refuse('date');
  if (parts.month > 12) return refuse(parts.day <= 12 && parts.isOrdered ? 'date-order' : 'date-day');
  const year = yearOf(parts.year);
  if (year === undefined) return refuse('short-year');
  const date = `${String(year).padStart(4, '0')}-${two(parts.month)}-${two(parts.day)}`;
  return isDay(date) ? { value: date } : refuse('date-day');
}

function isMidnight([, hour, minute, second = '0', half = '']: RegExpExecArray): boolean {
  const isFirstHour = half.toLowerCase() === 'am' ? Number(hour) === 12 : half === '' && Number(hour) === 0;
  return isFirstHour && Number(minute) === 0 && Number(second) === 0;
}

export const two = (number: number) => String(number).padStart(2, '0');

interface DateParts {
  readonly year: string;
  readonly month: number;
  readonly day: number;
  /** Day and month are in the order that was chosen. */
  readonly isOrdered: boolean;
}

function partsOf(text: string, order: ValueRules['dateOrder']): DateParts | undefined {
  const iso = isoDate.exec(text) ?? compactDate.exec(text);
  if (iso) return { year: iso[1] ?? '', month: Number(iso[2]), day: Number(iso[3]), isOrdered: false };
  const parts = partsDate.exec(text);
  if (parts) {
    const [first, second] = [Number(parts[1]), Number(parts[2])];
    const [month, day] = order === 'mdy' ? [first, second] : [second, first];
    return { year: parts[3] ?? '', month, day, isOrdered: true };
  }
  const named = dayMonthName.exec(text);
  if (named) return { year: named[3] ?? '', month: monthOf(named[2]), day: Number(named[1]), isOrdered: false };
  const american = monthNameDay.exec(text);
  if (american)
    return { year: american[3] ?? '', month: monthOf(american[1]), day: Number(american[2]), isOrdered: false };
  return undefined;
}

const monthOf = (name = '') => months.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** undefined: the year may be in both centuries. */
function fullYear(year: string, rule: ValueRules['shortYears'], today: string): number | undefined {
  if (year.length === 4) return Number(year);
  if (Number(year) > Number(today.slice(2, 4))) return 1900 + Number(year);
  return rule === 'refuse' ? undefined : Number(rule) + Number(year);
}

function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Whether a text may be a birth date in some order; for guessing what a column is. */
export const looksLikeDate = (cell: string): boolean => {
  const text = cellText(cell).replace(timeBehind, '').trim();
  return [isoDate, compactDate, partsDate, dayMonthName, monthNameDay].some((pattern) => pattern.test(text));
};

/** The first two numbers of a date of which it is not certain which is the month; undefined for others. */
export function orderedParts(cell: string): readonly [number, number] | undefined {
  const found = partsDate.exec(cellText(cell).replace(timeBehind, '').trim());
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}
