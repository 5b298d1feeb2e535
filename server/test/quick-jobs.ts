import type pg from 'pg';
import type { JobTimes } from '../src/platform/jobs.ts';

/** The queue's times in tests: a retry after one or two seconds, a check for retries and dead workers each second. */
export const quickJobs: Partial<JobTimes> = {
  retryDelay: 1,
  retryDelayMax: 2,
  notifiedPollSeconds: 1,
  superviseSeconds: 1,
};

/**
 * Sets the heartbeats of running jobs back by a minute, so that the queue does not wait ten seconds to notice killed workers.
 * `owner` is a connection as the database's owner.
 */
export async function ageHeartbeats(owner: pg.Client): Promise<void> {
  await owner.query(`update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`);
}
