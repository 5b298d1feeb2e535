import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Statement, Tx } from './database/database.ts';
import { fold } from './fold.ts';
import { Refusal } from './refusal.ts';

/** The common query of list calls (ABOUT-9): order by one of the list's columns, page by keys or `skip`. */
export interface ListQuery {
  top: number;
  skip: number;
  orderBy?: string | undefined;
  total?: number | undefined;
  after?: string | undefined;
  before?: string | undefined;
}

/** The expressions that sort by one column, most significant first. The last one must be unique. */
export type SortKeys = readonly Expression<unknown>[];

/** A row's values of the sort keys. */
type KeyValues = (string | number | null)[];

export interface Page {
  direction: 'asc' | 'desc';
  /** The order of the query; reversed when paging backwards. */
  order: { keys: SortKeys; direction: 'asc' | 'desc' };
  isReversed: boolean;
  offset: number;
  /** The rows after (or before) the given key, if there is one. */
  beyond: Expression<SqlBool> | undefined;
}

/** Sorts a column alphabetically instead of by bytes (record 025): `byName('p.last_name')`. */
export const byName = (column: string) => sql<string>`${sql.ref(column)} collate name_order`;

/** Splits '<column> <asc|desc>', which the contract has validated. */
export function splitOrder<Column extends string>(orderBy: string | undefined, initial: `${Column} ${'asc' | 'desc'}`) {
  const [column, direction] = (orderBy ?? initial).split(' ') as [Column, 'asc' | 'desc'];
  return { column, direction };
}

/** Describes a page. With the key of a neighboring page, page 800 is as fast as page 1; without it `skip` is used. */
export function pageOf(query: ListQuery, keys: SortKeys, direction: 'asc' | 'desc', casts: readonly string[]): Page {
  const key = query.after ?? query.before;
  const isReversed = query.after === undefined && query.before !== undefined;
  const queryDirection = isReversed === (direction === 'asc') ? 'desc' : 'asc';
  const offset = key === undefined ? query.skip : 0;
  const beyond = key === undefined ? undefined : beyondKey(keys, readKey(key, keys.length), queryDirection, casts);
  return { direction, order: { keys, direction: queryDirection }, isReversed, offset, beyond };
}

/** Reads the rows of a page, in the query's order ({@link finishPage} reverses them), and the number of all matching rows. */
export async function readPage<Schema, Tables extends keyof Schema, Row>(
  matching: SelectQueryBuilder<Schema, Tables, Row>,
  query: ListQuery,
  page: Page,
): Promise<{ found: Row[]; total: number | null }> {
  const found = await limitToPage(matching, query, page).execute();
  return { found, total: await totalOf(query, () => countRows(matching)) };
}

/** Returns the number of all matching rows; null when the client has sent it, or there are too many to count. */
export const totalOf = async ({ total }: ListQuery, count: () => Promise<number | null>): Promise<number | null> =>
  total === undefined ? count() : null;

/** The statement of a page's rows, in the query's order, for a handler that gets them. */
export const pageStatement = <Schema, Tables extends keyof Schema, Row>(
  matching: (tx: Tx) => SelectQueryBuilder<Schema, Tables, Row>,
  query: ListQuery,
  page: Page,
): Statement<Row> => ({ compile: (tx) => limitToPage(matching(tx), query, page).compile() });

/** Selects the rows of a page, in the query's order. */
export function limitToPage<Schema, Tables extends keyof Schema, Row>(
  matching: SelectQueryBuilder<Schema, Tables, Row>,
  { top }: ListQuery,
  { beyond, order, offset }: Page,
): SelectQueryBuilder<Schema, Tables, Row> {
  // A literal, so that the planner knows how few rows are needed.
  const rows = sorted(beyond ? matching.where(beyond) : matching, order);
  return rows.limit(sql.lit(top)).offset(offset);
}

/** Sorts a query by keys. */
export function sorted<Schema, Tables extends keyof Schema, Row>(
  rows: SelectQueryBuilder<Schema, Tables, Row>,
  { keys, direction }: Page['order'],
): SelectQueryBuilder<Schema, Tables, Row> {
  let query = rows;
  for (const key of keys) query = query.orderBy(key, direction);
  return query;
}

/** Returns the number of rows of a query. */
export async function countRows<Schema, Tables extends keyof Schema, Row>(
  matching: SelectQueryBuilder<Schema, Tables, Row>,
): Promise<number> {
  const counting = matching.clearSelect().select(sql<string>`count(*)`.as('n'));
  const { n } = (await counting.executeTakeFirstOrThrow()) as { n: string };
  return Number(n);
}

/** Compares rows, so that PostgreSQL uses an index range. Sort keys must not be null (the lists coalesce them). */
function beyondKey(
  keys: SortKeys,
  values: KeyValues,
  direction: 'asc' | 'desc',
  casts: readonly string[],
): Expression<SqlBool> {
  const right = values.map((value, i) => sql`${value}::${sql.raw(casts[i] ?? 'text')}`);
  const operator = sql.raw(direction === 'asc' ? '>' : '<');
  return sql<SqlBool>`(${sql.join([...keys])}) ${operator} (${sql.join(right)})`;
}

/**
 * Reads a page key with values of these types.
 *
 * @throws Refusal `malformed`
 */
export function readPageKey(key: string, types: readonly ('string' | 'number')[]): KeyValues {
  const values = readKey(key, types.length);
  if (values.some((value, index) => typeof value !== types[index])) throw new Refusal('malformed');
  return values;
}

function readKey(key: string, length: number): KeyValues {
  try {
    const values: unknown = JSON.parse(Buffer.from(key, 'base64url').toString());
    if (
      Array.isArray(values) &&
      values.length === length &&
      values.every((v) => typeof v === 'string' || typeof v === 'number')
    ) {
      return values;
    }
  } catch {
    // Not a page key.
  }
  throw new Refusal('malformed');
}

/** Encodes the sort keys of a row for `after` and `before`. */
export const createPageKey = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** Returns the rows in the list's order, with the page keys of the first and last row. */
export function finishPage<Row>(rows: Row[], page: Page, keyOf: (row: Row) => readonly (string | number)[]) {
  const data = page.isReversed ? rows.toReversed() : rows;
  const first = data[0];
  const last = data.at(-1);
  return {
    data,
    ...(first && { first: createPageKey(keyOf(first)) }),
    ...(last && { last: createPageKey(keyOf(last)) }),
  };
}

/** Returns a LIKE pattern that finds `text` literally, anywhere in a folded text. */
export const likePattern = (text: string): string => `%${fold(text).replace(/[\\%_]/g, '\\$&')}%`;
