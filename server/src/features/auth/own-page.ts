import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';

/**
 * Calls that work by cookie answer our own pages only. SameSite keeps other sites out already; the Origin header, which
 * browsers send with every POST, is the second line.
 */
export function requireOwnPage(context: Context, request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === context.publicUrl) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new Refusal('not-allowed');
}
