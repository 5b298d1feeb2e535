import type { FastifyInstance } from 'fastify';
import type { movableClock } from '../src/platform/clock.ts';

/** POST /dev/clock {now: ISO}: test servers, and only they, let their time be set; jobs and hub follow it. */
export function registerClock(app: FastifyInstance, clock: ReturnType<typeof movableClock>): void {
  app.post('/dev/clock', (request, reply) => {
    const { now } = request.body as { now: string };
    clock.set(Date.parse(now));
    return reply.status(204).send();
  });
}
