import type { FastifyInstance } from 'fastify';
import type { movableClock } from '../src/platform/clock.ts';

/** POST /dev/clock {now: ISO} sets the time of a test server. */
export function registerClock(app: FastifyInstance, clock: ReturnType<typeof movableClock>): void {
  app.post('/dev/clock', (request, reply) => {
    const { now } = request.body as { now: string };
    clock.set(Date.parse(now));
    return reply.status(204).send();
  });
}
