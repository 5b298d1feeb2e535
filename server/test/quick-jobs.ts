import type pg from 'pg';
import type { JobTimes } from '../src/platform/jobs.ts';

/** The queue's waits in tests: a failed run is repeated after a second or two, a dead worker is looked for each second. */
export const quickJobs: Partial<JobTimes> = { retryDelay: 1, retryDelayMax: 2, superviseSeconds: 1 };

/**
 * Lets the runs of workers that were killed look as if their last heartbeat were a minute ago, which the queue would
 * wait at least ten seconds for. `owner` is a connection to the database as its owner.
 */
export async function ageHeartbeats(owner: pg.Client): Promise<void> {
  await owner.query(`update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`);
}
