import type { IncomingMessage } from 'node:http';
import type { HubRuntime } from '../runtime.ts';
import type { Identity } from '../types.ts';
import { param } from './query.ts';

const anonymous: Identity<unknown> = { claims: undefined };

/** Returns the sender of the request; null when it is unauthenticated. Throws what the hub's `authenticate` throws. */
export async function identify(
  runtime: HubRuntime,
  request: IncomingMessage,
  params: URLSearchParams,
): Promise<Identity<unknown> | null> {
  const { authenticate } = runtime.definition;
  return authenticate ? authenticate({ token: tokenOf(request, params), request }) : anonymous;
}

/** Returns the token. Browsers cannot set headers on WebSockets and event streams; they send it in the query. */
export function tokenOf(request: IncomingMessage, params: URLSearchParams): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  return bearer ?? (param(params, 'access_token') || undefined);
}
