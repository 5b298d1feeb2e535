import pg from 'pg';
import { listMigrations } from '../database/migrate.ts';
import { sqlStates } from '../database/sql-states.ts';

/** A database without a response for this long counts as down, ms. Supervisors often wait a second, pages longer. */
const timeoutMs = { supervisor: 900, page: 1_800 } as const;

/** `other`: it responds, but its schema is not the one of this code. */
export type DatabaseState = 'up' | 'other' | 'down';

export interface Figures {
  /** Jobs that wait, run, or have failed and are not deleted yet. */
  readonly jobs: readonly { readonly queue: string; readonly state: string; readonly count: number }[];
  /** Notifications that are due and neither sent nor given up. */
  readonly undelivered: number;
  /** Since when the oldest of them is due, ms since the epoch; null without one. */
  readonly oldestAt: number | null;
}

export interface WatchDatabase {
  /** Returns the state within a second for supervisors, within two for pages. Simultaneous callers share one statement. */
  state(reader: keyof typeof timeoutMs): Promise<DatabaseState>;
  /** @throws Error when the database does not respond within a second */
  figures(now: number): Promise<Figures>;
  close(): Promise<void>;
}

/** Errors of a database that responds, without this code's tables. */
const otherSchema: ReadonlySet<string> = new Set([sqlStates.undefinedTable, sqlStates.insufficientPrivilege]);

/**
 * Opens the connections of health checks and of metrics, one each. They are not of the pool, so that they work while all of those are in
 * use; they close when they are idle.
 */
export function watchDatabase(config: pg.PoolConfig): WatchDatabase {
  const limits = { max: 2, connectionTimeoutMillis: timeoutMs.page, query_timeout: timeoutMs.page };
  const pool = new pg.Pool({ ...config, ...limits });
  pool.on('error', () => {});
  const expected = new Map(listMigrations().map(({ name, checksum }) => [name, checksum]));

  /** Migrations of a later version do not count: during an update earlier instances continue to work. */
  async function readState(): Promise<DatabaseState> {
    try {
      const { rows } = await pool.query<{ name: string; checksum: string }>(
        'select name, checksum from schema_migrations',
      );
      const applied = rows.filter(({ name, checksum }) => expected.get(name) === checksum);
      return applied.length === expected.size ? 'up' : 'other';
    } catch (error) {
      return otherSchema.has((error as { code?: string }).code ?? '') ? 'other' : 'down';
    }
  }

  async function readFigures(now: number): Promise<Figures> {
    const jobs = await pool.query<{ queue: string; state: string; count: number }>(
      `select name as queue, state::text, count(*)::int as count from pgboss.job
       where state in ('created', 'retry', 'active', 'failed') group by name, state`,
    );
    const { rows } = await pool.query<{ undelivered: number; oldest: Date | null }>(
      'select undelivered::int, oldest from undelivered_notifications($1)',
      [new Date(now).toISOString()],
    );
    return {
      jobs: jobs.rows,
      undelivered: rows[0]?.undelivered ?? 0,
      oldestAt: rows[0]?.oldest?.getTime() ?? null,
    };
  }

  let reading: Promise<DatabaseState> | undefined;
  return {
    async state(reader) {
      reading ??= readState().finally(() => {
        reading = undefined;
      });
      return within(reading, 'down' as const, timeoutMs[reader]);
    },
    async figures(now) {
      const figures = await within(readFigures(now), null, timeoutMs.supervisor);
      if (!figures) throw new Error('The database did not respond.');
      return figures;
    },
    close: () => pool.end(),
  };
}

/** Returns the result of `work`, or `late` after `ms`. */
async function within<T, Late>(work: Promise<T>, late: Late, ms: number): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  work.catch(() => {});
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
