import { createHash } from 'node:crypto';
import { type DatabaseConnection, PostgresDriver } from 'kysely';
import pg from 'pg';

// Ids are below 2^53. Dates are calendar texts without a time zone, instants are ISO texts as in the contract.
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.DATE]: (text) => text,
  [pg.types.builtins.TIMESTAMPTZ]: isoOf,
};

/**
 * ISO of an instant of PostgreSQL, which sends UTC (`2026-03-01 09:30:00.123456+00`). A `Date` for each row of a list would
 * take ten times as long; only years of another length need one.
 */
function isoOf(text: string): string {
  if (text.length < 22 || text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString();
  const milliseconds = text.slice(20, -3).padEnd(3, '0').slice(0, 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
}

/** How the driver reads columns. */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format ?? 'text'),
};

/** Limit of prepared statements per connection; others are not prepared (lists of ids vary). */
const MAX_PREPARED = 300;

/**
 * A client that prepares each distinct statement once, because planning costs more than running a typical one, and sends
 * the queries of one turn of the event loop in one write.
 */
export class PreparingClient extends pg.Client {
  readonly #names = new Map<string, string>();
  #isCorked = false;

  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads are all passed through.
  override query(...args: any[]): any {
    this.#corkUntilNextTick();
    const [text, values, ...rest] = args;
    if (typeof text === 'string' && Array.isArray(values)) {
      let name = this.#names.get(text);
      if (name === undefined && this.#names.size < MAX_PREPARED) {
        name = createHash('sha1').update(text).digest('base64url');
        this.#names.set(text, name);
      }
      if (name !== undefined && rest.length === 0) return this.#queryPrepared(name, text, values);
    }
    // oxlint-disable-next-line typescript/no-explicit-any -- see above.
    return super.query(...(args as [any]));
  }

  /** Equivalent to the driver's query with a configuration object, without its copy of each property. */
  #queryPrepared(name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const callback = (error: Error | null, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
      super.query(Object.assign(new pg.Query(text, values), { name, callback }));
    });
  }

  #corkUntilNextTick(): void {
    if (this.#isCorked) return;
    const { stream } = this.connection;
    stream.cork();
    this.#isCorked = true;
    // Runs after the current promise callbacks, so that their queries are in the same write.
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }
}

/** Sends `begin` with the statement after it, and `commit` with the last statements: two round trips less for each transaction. */
export class PromptDriver extends PostgresDriver {
  readonly #sent = new WeakMap<DatabaseConnection, readonly Promise<unknown>[]>();

  /** Keeps the results of statements for the commit of the transaction that runs on this connection. */
  keepForCommit(connection: DatabaseConnection, sent: readonly Promise<unknown>[]): void {
    this.#sent.set(connection, sent);
  }

  /** Does not wait for the result: it can fail only when the connection breaks, and then the next statement fails. */
  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    super.beginTransaction(...args).catch(() => {});
  }

  /** An error in one of the statements makes the database roll back; that error is thrown. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const sent = this.#sent.get(connection) ?? [];
    this.#sent.delete(connection);
    const results = await Promise.allSettled([...sent, super.commitTransaction(connection)]);
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
