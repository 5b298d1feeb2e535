import type { HubServer } from '@roomside/signalr';
import type { FastifyInstance } from 'fastify';
import type { RunningJobs } from '../jobs.ts';
import type { WatchDatabase } from './watch-database.ts';

interface HealthParts {
  readonly hubs: Pick<HubServer, 'stats'>;
  readonly jobs: Pick<RunningJobs, 'isRunning'>;
  readonly watched: WatchDatabase;
}

/** Paths that supervisors request every few seconds; they are not logged. */
export const healthPaths: ReadonlySet<string> = new Set(['/live', '/ready', '/ping', '/health']);

/**
 * Registers `GET /live`, 200 while the process responds, and `GET /ready`, 200 while every check is true, otherwise 503.
 * Anyone may request them, so they contain names and booleans only.
 */
export function registerHealth(app: FastifyInstance, { hubs, jobs, watched }: HealthParts): void {
  app.get('/live', async (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));
  app.get('/ready', async (_request, reply) => {
    const state = await watched.state();
    const { backplane, draining } = hubs.stats();
    const checks = {
      database: state !== 'down',
      migrations: state === 'up',
      backplane: backplane === 'up',
      jobs: jobs.isRunning(),
      serving: !draining,
    };
    const ok = Object.values(checks).every(Boolean);
    return reply
      .code(ok ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ok, checks });
  });
}
