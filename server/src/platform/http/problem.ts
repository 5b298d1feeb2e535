import { refusals } from '@roomside/contract/refusals.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';

/** Error codes of PostgreSQL, its driver and the system for a database that is temporarily unavailable. */
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '53300',
  '08006',
  '08003',
  '08001',
  '40P01',
  '40001',
  '53100',
  '57014',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  '25P03',
]);

/** Maps an error to a refusal. An unexpected error becomes `server-error` or `unavailable`, and is to be logged. */
export function toRefusal(error: unknown): { refusal: Refusal; unexpected: boolean } {
  if (error instanceof Refusal) return { refusal: error, unexpected: false };
  const { statusCode, code, message } = error as FastifyError;
  if (statusCode === 413) return { refusal: new Refusal('too-large'), unexpected: false };
  if (statusCode === 415) return { refusal: new Refusal('wrong-media'), unexpected: false };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { refusal: new Refusal('malformed'), unexpected: false };
  }
  // Class 22, data exception: NUL in a text, a number or a time beyond what can be stored.
  if (code?.startsWith('22')) return { refusal: new Refusal('malformed'), unexpected: false };
  if (
    UNAVAILABLE_CODES.has(code) ||
    /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout/.test(message)
  ) {
    return { refusal: new Refusal('unavailable', { retryAfter: 2 }), unexpected: true };
  }
  return { refusal: new Refusal('server-error'), unexpected: true };
}

/** The server's error handler. Does not log statements and values of a failed query, which may contain patient data. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { refusal, unexpected } = toRefusal(error);
  if (unexpected) {
    const { name, message, code, stack } = error as FastifyError;
    request.log.error(
      { error: { name, code, message: code ? code : message, stack: stack?.split('\n').slice(1, 8) } },
      'unexpected',
    );
  }
  const problem = refusal.toProblem();
  // A refusal may contain stored values.
  reply.header('cache-control', 'no-store');
  if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
  void reply.status(refusals[refusal.code].status).type('application/problem+json').send(JSON.stringify(problem));
}
