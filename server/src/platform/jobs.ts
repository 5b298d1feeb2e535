import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type pg from 'pg';
import { type ConstructorOptions, fromKysely, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Jobs } from './context.ts';
import { APPLICATION_ROLE } from './database/migrate.ts';
import { jobAttempts } from './operations/trace-channels.ts';

/** The database schema of the queue's tables. */
const SCHEMA = 'pgboss';
/** An arbitrary number, the same for all instances. */
const LOCK_KEY = 728_306_115;

/** The attempt that a handler runs in. */
export interface JobAttempt {
  /** The same for every attempt of the job. */
  readonly jobId: string;
  /** There is no retry after this attempt. */
  readonly last: boolean;
}

/**
 * The handlers by queue name. After a throw the job is retried. A job may run more than once, also after it has succeeded:
 * effects that must happen once need their own guard.
 */
export type JobHandlers = Readonly<Record<string, (data: never, attempt: JobAttempt) => Promise<void>>>;

export interface RunningJobs extends Jobs {
  /** The names of the queues whose jobs it runs. */
  readonly queues: readonly string[];
  /** Returns whether each queue has a worker that runs jobs or has asked for some in the last seconds. */
  isRunning(): boolean;
  /** Takes no more jobs, waits some seconds for running ones, and disconnects. */
  stop(): Promise<void>;
}

/** The data of a job's row. */
interface Stored {
  data: object;
}

/** The queue's delays and timeouts, seconds. Tests use shorter ones. */
export interface JobTimes {
  /** Before the first retry; doubles with each retry up to `retryDelayMax`. */
  readonly retryDelay: number;
  readonly retryDelayMax: number;
  /** An attempt that takes longer has failed. */
  readonly expireInSeconds: number;
  /** A worker without a heartbeat for this long is dead; at least 10. */
  readonly heartbeatSeconds: number;
  /** Interval of polling for jobs while the database's notifications of new ones do not arrive, at least 0.5. */
  readonly pollSeconds: number;
  /** The same while they arrive, for retries and jobs of dead workers, at least 0.5. */
  readonly notifiedPollSeconds: number;
  /** Interval of checking for expired attempts and dead workers, at least 1. */
  readonly superviseSeconds: number;
}

/**
 * With delays from 2 s to 10 min and 31 retries a job survives about four hours of a gateway's downtime. Its handler drops
 * what is no longer due by then.
 */
const productTimes: JobTimes = {
  retryDelay: 2,
  retryDelayMax: 600,
  expireInSeconds: 60,
  heartbeatSeconds: 10,
  pollSeconds: 0.5,
  notifiedPollSeconds: 2,
  superviseSeconds: 5,
};
const retryLimit = 31;
const deleteAfterSeconds = 24 * 3600;
const maintainSeconds = 3600;
/** More than one job at a time, so that a slow gateway does not delay the others. */
const workOptions = { localConcurrency: 2, batchSize: 3 };
const stopWithinMs = 8000;
/** A worker that has not asked for jobs for this long, without running one, does not work. */
const silentWorkerMs = 8000;

/** Options of a connection that does not change the queue's tables. */
const clientOptions = { schema: SCHEMA, schedule: false, reindex: false, monitorVacuum: false } as const;

/**
 * Migrates the queue's tables as their owner, and grants the application's role access. Call after prepareDatabase, which
 * creates that role.
 */
export async function prepareJobs(owner: pg.ClientConfig): Promise<void> {
  const boss = new PgBoss({ ...(owner as ConstructorOptions), ...clientOptions, max: 2, supervise: false });
  const errors: Error[] = [];
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  try {
    // Behind a lock, since simultaneous grants of two starting instances would conflict.
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
  /** Connects as app_user. */
  readonly application: pg.PoolConfig;
  readonly log: FastifyBaseLogger;
  readonly handlers: JobHandlers;
  /** Overrides of the product's times. */
  readonly times?: Partial<JobTimes>;
}

/** Starts to run the jobs of the queues in `handlers`. */
export async function startJobs({ application, log, handlers, times }: JobsOptions): Promise<RunningJobs> {
  const { pollSeconds, notifiedPollSeconds, superviseSeconds, ...delays } = { ...productTimes, ...times };
  const queueOptions = { ...delays, retryLimit, retryBackoff: true, deleteAfterSeconds, notify: true };
  const boss = new PgBoss({
    ...(application as ConstructorOptions),
    ...clientOptions,
    max: 3,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: maintainSeconds,
  });
  boss.on('error', (error) => log.warn({ error: redactError(error) }, 'the job queue reported an error'));
  await boss.start();
  for (const [queue, handle] of Object.entries(handlers)) {
    await boss.createQueue(queue, queueOptions);
    await boss.updateQueue(queue, queueOptions);
    const options = {
      ...workOptions,
      pollingIntervalSeconds: pollSeconds,
      notifyPollingIntervalSeconds: notifiedPollSeconds,
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
      const traced = { queue: job.name, attempt: job.retryCount + 1 };
      await jobAttempts.tracePromise(() => handle(job.data.data as never, { jobId: job.id, last }), traced);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      // The queue stores the error, and errors of a gateway may quote an address.
      const output = redactError(error);
      const about = { queue: job.name, job: job.id, attempt: job.retryCount + 1, error: output };
      if (last) log.error(about, 'a job was given up');
      else log.warn(about, 'a job failed and will be tried again');
      return { id: job.id, status: 'failed', output };
    }
  }

  const queues = Object.keys(handlers);

  return {
    queues,
    isRunning() {
      // The queue's own clock is the system's.
      const since = Date.now() - silentWorkerMs;
      const working = boss
        .getWipData()
        .filter(({ state, count, lastFetchedOn, createdOn }) => {
          return state === 'active' && (count > 0 || (lastFetchedOn ?? createdOn) > since);
        })
        .map(({ name }) => name);
      return queues.every((queue) => working.includes(queue));
    },
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

/** Returns the code of a database's or gateway's error instead of its message, which may quote personal data. */
function redactError(error: unknown): { name: string; message: string } {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  return { name: name ?? 'Error', message: code ?? message ?? '' };
}
