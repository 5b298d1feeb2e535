import type { ServerResponse } from 'node:http';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import { type Answer, send } from './answer.ts';
import { identify, tokenOf } from './auth.ts';
import { corsHeaders, originAllowed } from './cors.ts';
import { type HubRequest, originOf } from './hub-request.ts';
import { negotiate } from './negotiate.ts';
import { param } from './query.ts';
import { redactUrl } from './redact.ts';
import { serveTransport } from './transports.ts';

export type Route = 'hub' | 'negotiate' | 'refresh';

/** Answers a request to the hub's path, or to `negotiate` below it. */
export async function serve(asked: HubRequest, route: Route, response: ServerResponse): Promise<void> {
  const { endpoint, request } = asked;
  let answer: Answer | undefined;
  let cors = {};
  try {
    cors = corsHeaders(request, endpoint.cors);
    answer = await answerTo(asked, route, response, cors);
  } catch (err) {
    endpoint.runtime.logger.error({ err, method: request.method, url: redactUrl(request.url ?? '') }, 'request failed');
    answer = { status: 500 };
  }
  if (!answer) return;
  try {
    send(response, answer, cors);
  } catch (err) {
    // Such as a redirect that has no JSON.
    endpoint.runtime.logger.error({ err, url: redactUrl(request.url ?? '') }, 'answer failed');
    send(response, { status: 500 }, cors);
  }
  request.resume();
}

const methods = { hub: ['GET', 'POST', 'DELETE'], negotiate: ['POST'], refresh: ['POST'] } as const;

/** Undefined when the response is dealt with. */
async function answerTo(
  asked: HubRequest,
  route: Route,
  response: ServerResponse,
  cors: object,
): Promise<Answer | undefined> {
  const { endpoint, params, request } = asked;
  const { runtime } = endpoint;
  const { method } = request;
  const isForeign = !originAllowed(request, endpoint.cors);
  if (method === 'OPTIONS') return isForeign ? refusedOrigin : { status: 204 };
  const allowed: readonly string[] = methods[route];
  if (!method || !allowed.includes(method)) return { status: 405, headers: { Allow: allowed.join(', ') } };
  if (route === 'refresh') return refreshDisabled;
  const token = route === 'hub' ? param(params, 'id') : undefined;
  if (token && foreignInstance(token, runtime.instance)) return endpoint.forwarder.forward(request, token, response);
  // As on upgrades: a foreign page could not read the answer, but its request would have its effect.
  if (isForeign) return refusedOrigin;
  const who = await identify(runtime, request, params);
  if (!who) return { status: 401 };
  if (route === 'hub') return serveTransport(asked, who, token, response, cors);
  const elsewhere = await runtime.definition.redirect?.({ token: tokenOf(request, params), request });
  if (elsewhere) return { status: 200, json: elsewhere };
  if (endpoint.draining()) return shuttingDown;
  // Its end has been told already; nothing would take it out of the line.
  if (response.destroyed) return undefined;
  const origin = originOf(asked, who);
  const admitted = await endpoint.admission.enter(runtime.definition.path, origin.quotaKey, response);
  if (admitted === 'no') return { status: 503, text: texts.busy, headers: { 'Retry-After': '5' } };
  if (endpoint.draining()) return shuttingDown;
  if (admitted === 'gone') return undefined;
  const negotiation = negotiate(runtime, request, params, who, origin);
  if (!negotiation) return { status: 503, text: texts.tooManyNegotiations, headers: { 'Retry-After': '15' } };
  return { status: 200, json: negotiation };
}

const refusedOrigin: Answer = { status: 403, text: texts.originRefused };
const shuttingDown: Answer = { status: 503, text: texts.shuttingDown, headers: { 'Retry-After': '1' } };

/** A newer client asks here for a longer life of its connection; this server renews tokens on every request instead. */
const refreshDisabled: Answer = {
  status: 404,
  json: { error: 'refresh_disabled', error_description: 'Tokens are renewed by reconnecting.' },
};
