import type { HubServer } from '@roomside/signalr';
import type { FastifyInstance } from 'fastify';
import type { RunningJobs } from '../jobs.ts';
import { Refusal } from '../refusal.ts';
import type { WatchDatabase } from './watch-database.ts';

interface HealthParts {
  readonly hubs: Pick<HubServer, 'stats'>;
  readonly jobs: Pick<RunningJobs, 'isRunning'>;
  readonly watched: WatchDatabase;
}

/** Paths that supervisors request every few seconds; they are not logged. */
export const healthPaths: ReadonlySet<string> = new Set(['/live', '/ready', '/ping', '/health']);

/**
 * Registers `GET /live`, 200 while the process responds, `GET /ready`, 200 while every check is true, `GET /ping`, 200 while the
 * database responds, and `GET /health`, 200 while it does and the process does not stop; otherwise 503. Anyone may request them, in
 * any number: they contain names and states only, and use no connection of the pool.
 */
export function registerHealth(app: FastifyInstance, { hubs, jobs, watched }: HealthParts): void {
  app.get('/ping', async (_request, reply) => {
    if ((await watched.state('page')) === 'down') throw new Refusal('unavailable', { retryAfter: 2 });
    return reply.header('cache-control', 'no-store').send({ ok: true });
  });
  app.get('/health', async (_request, reply) => {
    const isDatabaseUp = (await watched.state('page')) !== 'down';
    const { draining, backplane } = hubs.stats();
    return reply
      .code(isDatabaseUp && !draining ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ database: isDatabaseUp ? 'up' : 'down', backplane, draining });
  });
  app.get('/live', async (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));
  app.get('/ready', async (_request, reply) => {
    const state = await watched.state('supervisor');
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
