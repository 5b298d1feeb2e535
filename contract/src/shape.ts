import * as z from 'zod/mini';
import { limits, maxTop } from './limits.ts';
import { fieldTexts } from './texts.ts';

/** Ids are numbers of one installation-wide sequence. */
export const id = z.int().check(z.positive());
/** 0 = new, or none. */
export const idOrZero = z.int().check(z.nonnegative());

/** 32 hexadecimal digits; dashes and case are forgiven here and normalised at the edge (ROOM-1). */
export const uid = z.string().check(z.regex(/^(?:[0-9a-fA-F]-?){31}[0-9a-fA-F]$/, fieldTexts.notValid));
export function normaliseUid(text: string): string {
  return text.replaceAll('-', '').toLowerCase();
}

/** ISO 8601 with offset, e.g. 2026-11-21T14:30:00.000Z. */
export const instant = z.iso
  .datetime({ offset: true, error: fieldTexts.notValid })
  .check(z.regex(/^(19|20|21)\d\d-/, fieldTexts.notValid));
/** A calendar date without a zone, YYYY-MM-DD. */
export const date = z.iso.date({ error: fieldTexts.notValid }).check(z.regex(/^(19|20|21)\d\d-/, fieldTexts.notValid));
/** A person's day of birth, of this or the last century; whether it lies in the future the server tells, by the company's day. */
export const birthDate = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.regex(z.regexes.date, fieldTexts.notValid),
    z.regex(/^(19|20)/, fieldTexts.notValid),
  );
/** Company wall time as routes carry it, HHmm (APPT-1). */
export const hhmm = z.string().check(z.regex(/^([01]\d|2[0-3])[0-5]\d$/, fieldTexts.notValid));

/** Wall time of a day, 'HH:mm'. */
export const wallTime = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, fieldTexts.notValid));

/** Ids joined by commas, e.g. '12,15'; '0' stands for all. */
export const idList = z.string().check(z.regex(/^\d{1,15}(,\d{1,15}){0,99}$/, fieldTexts.notValid));

/** A range of company days, both inclusive; `daysAtMost` checks it. */
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
 * Characters that no typed text holds: control characters (but tab and line breaks), marks that turn the direction of
 * what follows around, and halves of a character, which a database cannot store.
 */
const hidden = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|(?![\t\n\r])\p{Cc}/u;
const visible = z.refine<string>((value) => !hidden.test(value), { error: fieldTexts.notValid });
/** True for one line of characters that can be seen. */
export const isVisibleLine = (value: string): boolean => !hidden.test(value) && !/[\t\n\r]/.test(value);
const oneLine = z.refine<string>(isVisibleLine, { error: fieldTexts.notValid });

/** Text of at most `max` characters, may be empty. */
export const text = (max: number) => z.string().check(z.maxLength(max, fieldTexts.atMost(max)), visible);
/** Text that holds something besides white space. */
export const requiredText = (max: number) =>
  z.string().check(z.regex(/\S/, fieldTexts.required), z.maxLength(max, fieldTexts.atMost(max)), visible);
/** {@link text} on one line. */
export const line = (max: number) => text(max).check(oneLine);
/** {@link requiredText} on one line: names and the like, which become headers of mails. */
export const requiredLine = (max: number) => requiredText(max).check(oneLine);

/**
 * A name as a stranger may type it. Mail programs make links of addresses, so a name holds none: nothing typed by a stranger
 * becomes a link in somebody else's mailbox.
 */
export const personName = (max: number) =>
  requiredLine(max).check(
    z.refine((name) => !/[/@\\<>]|www\.|[\p{L}\p{N}-]{3,}\.[a-z]{2,}(?![\p{L}])|https?:/iu.test(name), {
      error: fieldTexts.notValid,
    }),
  );

export const emailPattern = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:".]+(\.[^\s@<>()[\]\\,;:".]+)+$/;
/** VALID-7, VALID-23. */
export const email = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.maxLength(limits.email, fieldTexts.atMost(limits.email)),
    z.regex(emailPattern, fieldTexts.doesntSeemValid),
  );
/** VALID-2, VALID-26: what may be typed at the door; whether it exists is nobody's business. */
export const loginEmail = z
  .string()
  .check(
    z.regex(/\S/, fieldTexts.required),
    z.minLength(limits.emailLogin, fieldTexts.doesntSeemValid),
    z.maxLength(limits.email, fieldTexts.atMost(limits.email)),
  );

/** Ten US digits, area code and exchange starting 2 to 9 (VALID-8, VALID-24); stored as +1 E.164. */
export const phone = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.regex(/^[2-9]\d{2}[2-9]\d{6}$/, fieldTexts.notValid));

/** VALID-9, VALID-26. */
export const password = z
  .string()
  .check(
    z.minLength(limits.passwordMin, fieldTexts.atLeast(limits.passwordMin)),
    z.maxLength(limits.passwordMax, fieldTexts.atMost(limits.passwordMax)),
  );

/** An amount with at most two places as a decimal text, e.g. '12.50': never a binary fraction. */
export const money = z.string().check(z.regex(/^\d{1,8}(\.\d{1,2})?$/, fieldTexts.notValid));

/** Counts the edits of a row; a save carries the one that was read. */
export const version = z.int().check(z.nonnegative());

/** An opaque key of a neighbouring page, as an answer's `first` and `last` gave it. */
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
    /** What the client remembers; the server then does not count again and answers null. */
    total: z.optional(z.int().check(z.nonnegative())),
    after: z.optional(pageKey),
    before: z.optional(pageKey),
  };
}

/** The list answer of ABOUT-10; total null = keep yours. `first` and `last` are the keys of the page's ends. */
export function listResult<Row extends z.ZodMiniType>(row: Row) {
  return z.object({
    data: z.array(row),
    total: z.nullable(z.int()),
    first: z.optional(z.string()),
    last: z.optional(z.string()),
  });
}
