import * as z from 'zod/mini';
import { limits, maxTop } from './limits.ts';
import { fieldTexts } from './texts.ts';

/** An id: a number from one sequence for the whole installation. */
export const id = z.int().check(z.positive());
/** 0 = new, or none. */
export const idOrZero = z.int().check(z.nonnegative());

/** 32 hexadecimal digits. Dashes and capitals are accepted and removed by `normalizeUid` (ROOM-1). */
export const uid = z.string().check(z.regex(/^(?:[0-9a-fA-F]-?){31}[0-9a-fA-F]$/, fieldTexts.notValid));

/** ISO 8601 with offset, e.g. 2026-11-21T14:30:00.000Z. */
export const instant = z.iso
  .datetime({ offset: true, error: fieldTexts.notValid })
  .check(z.regex(/^(19|20|21)\d\d-/, fieldTexts.notValid));
/** A calendar date without a zone, YYYY-MM-DD. */
export const date = z.iso.date({ error: fieldTexts.notValid }).check(z.regex(/^(19|20|21)\d\d-/, fieldTexts.notValid));
/** A date of birth in this or the last century. The server also refuses future dates, by the company's day. */
export const birthDate = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.regex(z.regexes.date, fieldTexts.notValid),
    z.regex(/^(19|20)/, fieldTexts.notValid),
  );
/** Company wall time in routes, HHmm (APPT-1). */
export const hhmm = z.string().check(z.regex(/^([01]\d|2[0-3])[0-5]\d$/, fieldTexts.notValid));

/** Wall time of a day, 'HH:mm'. */
export const wallTime = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, fieldTexts.notValid));

/** Ids joined by commas, e.g. '12,15'; '0' = all. */
export const idList = z.string().check(z.regex(/^\d{1,15}(,\d{1,15}){0,99}$/, fieldTexts.notValid));

/** A range of company days, inclusive; check it with `maxDays`. */
export const dayRange = { from: date, to: date };
interface Range {
  from: string;
  to: string;
}
const daysOf = ({ from, to }: Range) => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
export const maxDays = (max: number) =>
  z.refine<Range>((range) => daysOf(range) >= 1 && daysOf(range) <= max, {
    error: fieldTexts.dayRange(max),
    path: ['to'],
  });

/**
 * Characters that are refused in texts: control characters (except tab and line breaks), bidirectional control characters, and
 * lone surrogates, which a database cannot store.
 */
const hidden = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|(?![\t\n\r])\p{Cc}/u;
/** Tabs and line breaks, those of Unicode too. */
const breaks = /[\t\n\r\u2028\u2029]/;
const visible = z.refine<string>((value) => !hidden.test(value), { error: fieldTexts.notValid });
/** Whether the text is one line of visible characters. */
export const isVisibleLine = (value: string): boolean => !hidden.test(value) && !breaks.test(value);
const oneLine = z.refine<string>(isVisibleLine, { error: fieldTexts.notValid });

/** A text of at most `max` characters; may be empty. */
export const text = (max: number) => z.string().check(z.maxLength(max, fieldTexts.maxLength(max)), visible);
/** A text that is not blank. */
export const requiredText = (max: number) =>
  z.string().check(z.regex(/\S/, fieldTexts.required), z.maxLength(max, fieldTexts.maxLength(max)), visible);
/** {@link text} on one line. */
export const line = (max: number) => text(max).check(oneLine);
/** {@link requiredText} on one line: for names and other texts that are used in mail headers. */
export const requiredLine = (max: number) => requiredText(max).check(oneLine);

const address =
  /https?:|www\.|[\p{L}\p{N}-]{3,}\.[a-z]{2,}(?!\p{L})|[\p{L}\p{N}-]\.[a-z]{2,}\/|@[\p{L}\p{N}-]+\.[a-z]/iu;
/** Whether a text contains a web or email address: mail programs turn them into links, also in a name. */
export const hasAddress = (value: string): boolean => address.test(value);
/** A name from an unauthenticated caller, which gets into the mail of another person. */
export const personName = (max: number) =>
  requiredLine(max).check(
    z.refine((name) => !/[/@\\<>]/.test(name) && !hasAddress(name), { error: fieldTexts.addressInName }),
  );

/** Without characters that cannot be seen (\p{C}): they would show another address than the one that is written to. */
export const emailPattern = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:".]+(\.[^\s\p{C}@<>()[\]\\,;:".]+)+$/u;
/** VALID-7, VALID-23. */
export const email = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.maxLength(limits.email, fieldTexts.maxLength(limits.email)),
    z.regex(emailPattern, fieldTexts.doesntSeemValid),
  );
/** VALID-2, VALID-26: an email at sign-in. Only its length is checked, so that the response does not depend on its existence. */
export const loginEmail = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.minLength(limits.emailLogin, fieldTexts.doesntSeemValid),
    z.maxLength(limits.email, fieldTexts.maxLength(limits.email)),
  );

/** Ten US digits, area code and exchange starting with 2 to 9 (VALID-8, VALID-24); stored as +1 E.164. */
export const phone = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.regex(/^[2-9]\d{2}[2-9]\d{6}$/, fieldTexts.notValid));

/** VALID-9, VALID-26. */
export const password = z
  .string()
  .check(
    z.minLength(1, fieldTexts.required),
    z.minLength(limits.passwordMin, fieldTexts.minLength(limits.passwordMin)),
    z.maxLength(limits.passwordMax, fieldTexts.maxLength(limits.passwordMax)),
  );

/** An amount as a decimal text with at most two places, e.g. '12.50'. */
export const money = z.string().check(z.regex(/^\d{1,8}(\.\d{1,2})?$/, fieldTexts.notValid));

/** The version of a row, increased by each edit; a save sends the version that was read. */
export const version = z.int().check(z.nonnegative());

/** An opaque key for the next or previous page: `last` or `first` of a result. */
const pageKey = z.string().check(z.maxLength(1200));

/** The list query of ABOUT-9, with the sort columns of one entity; `orderBy` is 'column asc' or 'column desc'. */
export function listQuery<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  const orders = columns.flatMap((column) => [
    `${column} asc`,
    `${column} desc`,
  ]) as `${Columns[number]} ${'asc' | 'desc'}`[];
  return {
    top: z.int().check(z.gte(1), z.lte(maxTop)),
    skip: z.int().check(z.nonnegative()),
    pageIndex: z.optional(z.int().check(z.nonnegative())),
    filter: z.optional(text(limits.search)),
    orderBy: z.optional(z.enum(orders as [(typeof orders)[number], ...typeof orders])),
    /** The total known to the client; the server then does not count and returns null. */
    total: z.optional(z.int().check(z.nonnegative())),
    after: z.optional(pageKey),
    before: z.optional(pageKey),
  };
}

/** The list result of ABOUT-10; total null = unchanged. `first` and `last` are the keys of the page's first and last row. */
export function listResult<Row extends z.ZodMiniType>(row: Row) {
  return z.object({
    data: z.array(row),
    total: z.nullable(z.int()),
    first: z.optional(z.string()),
    last: z.optional(z.string()),
  });
}
