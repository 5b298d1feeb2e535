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

/**
 * The delays grow from about 2 s to 10 min: some four hours of a gateway's absence are bridged. What is not true any more by then is
 * its handler's to drop.
 */
const retries = { retryLimit: 31, retryDelay: 2, retryBackoff: true, retryDelayMax: 600 };
/** A run takes a minute at most; a worker that died is noticed after ten seconds. Seconds. */
const patience = { expireInSeconds: 60, heartbeatSeconds: 10, deleteAfterSeconds: 24 * 3600 };
const everySeconds = { poll: 0.5, lookAfter: 5, maintain: 3600 };
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
}

/** Starts to work off the queues that `handlers` names. */
export async function startJobs({ application, log, handlers }: JobsOptions): Promise<RunningJobs> {
  const boss = new PgBoss({
    ...(application as ConstructorOptions),
    ...quiet,
    max: 3,
    migrate: false,
    createSchema: false,
    superviseIntervalSeconds: everySeconds.lookAfter,
    monitorIntervalSeconds: everySeconds.lookAfter,
    maintenanceIntervalSeconds: everySeconds.maintain,
  });
  boss.on('error', (error) => log.warn({ error: harmless(error) }, 'the job queue has trouble'));
  await boss.start();
  for (const [queue, handle] of Object.entries(handlers)) {
    await boss.createQueue(queue, { ...retries, ...patience });
    await boss.updateQueue(queue, { ...retries, ...patience });
    const options = {
      ...runs,
      pollingIntervalSeconds: everySeconds.poll,
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
