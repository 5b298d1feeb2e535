import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type pg from 'pg';
import { type ConstructorOptions, fromKysely, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Jobs } from './context.ts';
import { APPLICATION_ROLE } from './database/migrate.ts';

/** Where the queue keeps its tables, apart from ours. */
const SCHEMA = 'pgboss';
/** Any number, the same for all servers of one database. */
const LOCK_KEY = 728_306_115;

/** What a handler learns of the run it is in. */
export interface JobAttempt {
  /** When this run fails, the job is given up. */
  readonly last: boolean;
}

/**
 * What runs a queue's jobs, by the queue's name. A throw means "again later". A job may run more than once, at times
 * after it has done its work: whatever must happen only once needs a guard of its own.
 */
export type JobHandlers = Readonly<Record<string, (data: never, attempt: JobAttempt) => Promise<void>>>;

export interface RunningJobs extends Jobs {
  /** Takes no more jobs, lets running ones finish for some seconds, and disconnects. */
  stop(): Promise<void>;
}

/** What a job's row carries. */
interface Stored {
  data: object;
}

/** How long the queue waits, in seconds. Tests wait less. */
export interface JobTimes {
  /** Before the first retry; each further wait is twice as long, up to `retryDelayMax`. */
  readonly retryDelay: number;
  readonly retryDelayMax: number;
  /** A run that takes longer counts as failed. */
  readonly expireInSeconds: number;
  /** A worker that died is noticed after this; the queue's own minimum is 10. */
  readonly heartbeatSeconds: number;
  /** Between two looks for new jobs, at least 0.5. */
  readonly pollSeconds: number;
  /** Between two looks for runs that have expired and workers that have died, at least 1. */
  readonly superviseSeconds: number;
}

/**
 * The delays grow from about 2 s to 10 min: some four hours of a gateway's absence are bridged. What is not true any more by then is
 * its handler's to drop.
 */
const productTimes: JobTimes = {
  retryDelay: 2,
  retryDelayMax: 600,
  expireInSeconds: 60,
  heartbeatSeconds: 10,
  pollSeconds: 0.5,
  superviseSeconds: 5,
};
const retryLimit = 31;
const deleteAfterSeconds = 24 * 3600;
const maintainSeconds = 3600;
/** Runs at a time: one that waits for a slow gateway must not keep the others waiting. */
const runs = { localConcurrency: 2, batchSize: 3 };
const stopWithinMs = 8000;

/** Connects to the queue without the right, or the wish, to change its tables. */
const quiet = { schema: SCHEMA, schedule: false, reindex: false, monitorVacuum: false } as const;

/**
 * Brings the queue's tables to the version of this server, as their owner, and lets the plain role work with them.
 * Comes after prepareDatabase, which makes that role.
 */
export async function prepareJobs(owner: pg.ClientConfig): Promise<void> {
  const boss = new PgBoss({ ...(owner as ConstructorOptions), ...quiet, max: 2, supervise: false });
  const errors: Error[] = [];
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  try {
    // In one transaction behind a lock: two servers that start at once would trip over each other's grants.
    await boss.getDb().executeSql(`
      begin;
      select pg_advisory_xact_lock(${LOCK_KEY});
      grant usage on schema ${SCHEMA} to ${APPLICATION_ROLE};
      grant select, insert, update, delete on all tables in schema ${SCHEMA} to ${APPLICATION_ROLE};
      grant usage on all sequences in schema ${SCHEMA} to ${APPLICATION_ROLE};
      grant execute on all functions in schema ${SCHEMA} to ${APPLICATION_ROLE};
      commit;`);
  } finally {
    await boss.stop({ graceful: false });
  }
  if (errors[0]) throw errors[0];
}

export interface JobsOptions {
  /** Connects as the plain role. */
  readonly application: pg.PoolConfig;
  readonly log: FastifyBaseLogger;
  readonly handlers: JobHandlers;
  /** What differs from the product's waits. */
  readonly times?: Partial<JobTimes>;
}

/** Starts to work off the queues that `handlers` names. */
export async function startJobs({ application, log, handlers, times }: JobsOptions): Promise<RunningJobs> {
  const { pollSeconds, superviseSeconds, ...waits } = { ...productTimes, ...times };
  const queueOptions = { ...waits, retryLimit, retryBackoff: true, deleteAfterSeconds };
  const boss = new PgBoss({
    ...(application as ConstructorOptions),
    ...quiet,
    max: 3,
    migrate: false,
    createSchema: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: maintainSeconds,
  });
  boss.on('error', (error) => log.warn({ error: harmless(error) }, 'the job queue has trouble'));
  await boss.start();
  for (const [queue, handle] of Object.entries(handlers)) {
    await boss.createQueue(queue, queueOptions);
    await boss.updateQueue(queue, queueOptions);
    const options = {
      ...runs,
      pollingIntervalSeconds: pollSeconds,
      includeMetadata: true,
      perJobResults: true,
    } as const;
    await boss.work<Stored, unknown, typeof options>(queue, options, (jobs) =>
      Promise.all(jobs.map((job) => runOne(job, handle))),
    );
  }

  async function runOne(job: JobWithMetadata<Stored>, handle: JobHandlers[string]): Promise<JobResult> {
    const last = job.retryCount >= job.retryLimit;
    try {
      await handle(job.data.data as never, { last });
      return { id: job.id, status: 'completed' };
    } catch (error) {
      // The queue stores what it is told of a failure, and errors of a gateway may quote an address.
      const output = harmless(error);
      const about = { queue: job.name, job: job.id, attempt: job.retryCount + 1, error: output };
      if (last) log.error(about, 'a job was given up');
      else log.warn(about, 'a job failed and will be tried again');
      return { id: job.id, status: 'failed', output };
    }
  }

  return {
    async send(tx, queue, data) {
      const stored: Stored = { data };
      await boss.send(queue, stored, { db: fromKysely(tx) });
    },
    async pending(tx, queue, key, ids) {
      const { rows } = await sql<{ id: number }>`
        select distinct (data->'data'->>${key})::bigint as id from ${sql.table(`${SCHEMA}.job`)}
        where name = ${queue} and state < 'completed' and (data->'data'->>${key})::bigint = any(${ids})`.execute(tx);
      return new Set(rows.map((row) => row.id));
    },
    async stop() {
      await boss.stop({ timeout: stopWithinMs });
    },
  };
}

/** An error without what it may quote: the database's and gateways' errors carry a code, ours a safe sentence. */
function harmless(error: unknown): { name: string; message: string } {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  return { name: name ?? 'Error', message: code ?? message ?? '' };
}
