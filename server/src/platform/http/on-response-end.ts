import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Runs `work` once for each request: when its response was sent, or when the client disconnected before (`isAborted`), for which Fastify
 * does not run `onResponse`.
 */
export function onResponseEnd(
  app: FastifyInstance,
  work: (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => work(request, reply, !reply.raw.writableFinished));
    done();
  });
}
