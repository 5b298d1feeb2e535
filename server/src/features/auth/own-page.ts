import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';

/**
 * Refuses calls with a cookie from other sites (CSRF). SameSite prevents them already. The Origin header, which browsers
 * send with every POST, is the second defense.
 *
 * @throws Refusal `not-allowed`
 */
export function requireOwnPage(context: Context, request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === context.publicUrl) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new Refusal('not-allowed');
}
