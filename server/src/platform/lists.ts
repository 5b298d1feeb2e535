import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { fold } from './fold.ts';
import { Refusal } from './refusal.ts';

/** What the list calls have in common (ABOUT-9, decisions 10): order by a closed set of columns, page by keys or skip. */
export interface ListQuery {
  top: number;
  skip: number;
  orderBy?: string | undefined;
  total?: number | undefined;
  after?: string | undefined;
  before?: string | undefined;
}

/** One sort column: the expressions that order by it, most significant first, the last one unique. */
export type SortKeys = readonly Expression<unknown>[];

/** A row's values of the sort keys, as texts that PostgreSQL reads back; null stays null. */
type KeyValues = (string | number | null)[];

export interface Page {
  direction: 'asc' | 'desc';
  /** The rows must come in this order; reversed when paging backwards. */
  order: { keys: SortKeys; direction: 'asc' | 'desc' };
  reversed: boolean;
  offset: number;
  /** What lies beyond the given neighbour, if one was given. */
  beyond: Expression<SqlBool> | undefined;
}

/** A name as a sort key, in the order of language (decision 025): `byName('p.last_name')`. */
export const byName = (column: string) => sql<string>`${sql.ref(column)} collate name_order`;

/** '<column> <asc|desc>' as the contract's enum lets through. */
export function splitOrder<Column extends string>(orderBy: string | undefined, initial: `${Column} ${'asc' | 'desc'}`) {
  const [column, direction] = (orderBy ?? initial).split(' ') as [Column, 'asc' | 'desc'];
  return { column, direction };
}

/** Where a page lies. Keys of the neighbouring page make page 800 as cheap as page 1; `skip` works without them. */
export function pageOf(query: ListQuery, keys: SortKeys, direction: 'asc' | 'desc', casts: readonly string[]): Page {
  const key = query.after ?? query.before;
  const reversed = query.after === undefined && query.before !== undefined;
  const way = reversed === (direction === 'asc') ? 'desc' : 'asc';
  const offset = key === undefined ? query.skip : 0;
  const beyond = key === undefined ? undefined : beyondKey(keys, readKey(key, keys.length), way, casts);
  return { direction, order: { keys, direction: way }, reversed, offset, beyond };
}

/**
 * The page's rows of all that match, in the order of `page` (finishPage turns them round), and how many match: null where
 * the client remembers. `count` is for those who can count with fewer joins.
 */
export async function readPage<Schema, Tables extends keyof Schema, Row>(
  matching: SelectQueryBuilder<Schema, Tables, Row>,
  query: ListQuery,
  page: Page,
  count = () => countRows(matching),
): Promise<{ found: Row[]; total: number | null }> {
  // Literally, so that the planner knows how few are wanted.
  let rows = matching.limit(sql.lit(query.top)).offset(page.offset);
  if (page.beyond) rows = rows.where(page.beyond);
  for (const key of page.order.keys) rows = rows.orderBy(key, page.order.direction);
  const found = await rows.execute();
  return { found, total: query.total === undefined ? await count() : null };
}

/** How many rows a query has, whatever it selects of them. */
export async function countRows<Schema, Tables extends keyof Schema, Row>(
  matching: SelectQueryBuilder<Schema, Tables, Row>,
): Promise<number> {
  const counting = matching.clearSelect().select(sql<string>`count(*)`.as('n'));
  const { n } = (await counting.executeTakeFirstOrThrow()) as { n: string };
  return Number(n);
}

/** Row comparison, so that one index range answers it. Sort keys are never null (coalesced by the lists). */
function beyondKey(
  keys: SortKeys,
  values: KeyValues,
  way: 'asc' | 'desc',
  casts: readonly string[],
): Expression<SqlBool> {
  const right = values.map((value, i) => sql`${value}::${sql.raw(casts[i] ?? 'text')}`);
  const operator = sql.raw(way === 'asc' ? '>' : '<');
  return sql<SqlBool>`(${sql.join([...keys])}) ${operator} (${sql.join(right)})`;
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
    // Falls through: not one of ours.
  }
  throw new Refusal('malformed');
}

export const createPageKey = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** The answer's rows in the list's order, with the keys of both ends. */
export function finishPage<Row>(rows: Row[], page: Page, keyOf: (row: Row) => readonly (string | number)[]) {
  const data = page.reversed ? rows.toReversed() : rows;
  const first = data[0];
  const last = data.at(-1);
  return {
    data,
    ...(first && { first: createPageKey(keyOf(first)) }),
    ...(last && { last: createPageKey(keyOf(last)) }),
  };
}

/** A LIKE pattern for folded text that finds `text` literally, anywhere or at the beginning of words. */
export const likePattern = (text: string): string => `%${fold(text).replace(/[\\%_]/g, '\\$&')}%`;
