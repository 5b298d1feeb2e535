import type { ServerResponse } from 'node:http';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import { identify, tokenOf } from './auth.ts';
import { corsHeaders, originAllowed } from './cors.ts';
import { type HubRequest, quotaOf } from './hub-request.ts';
import { negotiate } from './negotiate.ts';
import { param } from './query.ts';
import { redactUrl } from './redact.ts';
import { type HttpReply, send } from './reply.ts';
import { serveTransport } from './transports.ts';

export type Route = 'hub' | 'negotiate' | 'refresh';

/** Handles a request to the hub's path, or to `negotiate` or `refresh` below it. */
export async function serve(hubRequest: HubRequest, route: Route, response: ServerResponse): Promise<void> {
  const { endpoint, request } = hubRequest;
  let reply: HttpReply | undefined;
  let cors = {};
  try {
    cors = corsHeaders(request, endpoint.cors);
    reply = await createReply(hubRequest, route, response, cors);
  } catch (err) {
    endpoint.runtime.logger.error({ err, method: request.method, url: redactUrl(request.url ?? '') }, 'request failed');
    reply = { status: 500 };
  }
  if (!reply) return;
  try {
    send(response, reply, cors);
  } catch (err) {
    // For example a redirect that cannot be encoded as JSON.
    endpoint.runtime.logger.error({ err, url: redactUrl(request.url ?? '') }, 'answer failed');
    send(response, { status: 500 }, cors);
  }
  request.resume();
}

const methods = { hub: ['GET', 'POST', 'DELETE'], negotiate: ['POST'], refresh: ['POST'] } as const;

/** Returns the reply; undefined when the response is handled elsewhere or the client has disconnected. */
async function createReply(
  hubRequest: HubRequest,
  route: Route,
  response: ServerResponse,
  cors: object,
): Promise<HttpReply | undefined> {
  const { endpoint, params, request } = hubRequest;
  const { runtime } = endpoint;
  const { method } = request;
  const isForeign = !originAllowed(request, endpoint.cors);
  if (method === 'OPTIONS') return isForeign ? refusedOrigin : { status: 204 };
  const allowed: readonly string[] = methods[route];
  if (!method || !allowed.includes(method)) return { status: 405, headers: { Allow: allowed.join(', ') } };
  if (route === 'refresh') return refreshDisabled;
  const token = route === 'hub' ? param(params, 'id') : undefined;
  if (token && foreignInstance(token, runtime.instance)) return endpoint.forwarder.forward(request, token, response);
  // CORS only hides the response from a page of another origin; its request would still take effect.
  if (isForeign) return refusedOrigin;
  const user = await identify(runtime, request, params);
  if (!user) return { status: 401 };
  if (route === 'hub') return serveTransport(hubRequest, user, token, response, cors);
  const redirect = await runtime.definition.redirect?.({ token: tokenOf(request, params), request });
  if (redirect) return { status: 200, json: redirect };
  if (endpoint.isDraining()) return shuttingDown;
  // `close` has already been emitted and would not remove the request from the queue.
  if (response.destroyed) return undefined;
  const quota = quotaOf(hubRequest, user);
  const admitted = await endpoint.admission.enter(runtime.definition.path, quota.newcomer, response);
  if (admitted === 'no') return { status: 503, text: texts.busy, headers: { 'Retry-After': '5' } };
  if (endpoint.isDraining()) return shuttingDown;
  if (admitted === 'gone') return undefined;
  const { newcomer, address } = quota;
  const negotiation = negotiate(runtime, request, params, user, { quotaKey: newcomer.key, address });
  if (!negotiation) return { status: 503, text: texts.tooManyNegotiations, headers: { 'Retry-After': '15' } };
  return { status: 200, json: negotiation };
}

const refusedOrigin: HttpReply = { status: 403, text: texts.originRefused };
const shuttingDown: HttpReply = { status: 503, text: texts.shuttingDown, headers: { 'Retry-After': '1' } };

/** Newer clients use this to extend a connection's expiry; this server renews tokens on reconnect instead. */
const refreshDisabled: HttpReply = {
  status: 404,
  json: { error: 'refresh_disabled', error_description: 'Tokens are renewed by reconnecting.' },
};
