import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { texts } from '../protocol/texts.ts';
import type { HubRuntime } from '../runtime.ts';
import { Connection } from '../transport/connection.ts';
import type { AcceptWebSocket } from '../transport/websocket.ts';
import type { TransportName } from '../types.ts';
import { identify } from './auth.ts';
import { type CorsOptions, corsHeaders, originAllowed } from './cors.ts';
import { negotiate, offeredTransports } from './negotiate.ts';
import { param, publicSearch } from './query.ts';
import { redactUrl } from './redact.ts';

/** One hub's place in the HTTP server. */
export interface Endpoint {
  readonly runtime: HubRuntime;
  readonly accept: AcceptWebSocket;
  readonly cors: CorsOptions;
  draining(): boolean;
}

interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

/** Answers a request to the hub's path, or to `negotiate` below it. */
export async function serve(
  endpoint: Endpoint,
  isNegotiation: boolean,
  params: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  let cors = {};
  try {
    cors = corsHeaders(request, endpoint.cors);
    answer = await answerTo(endpoint, isNegotiation, params, request);
  } catch (err) {
    endpoint.runtime.logger.error({ err, method: request.method, url: redactUrl(request.url ?? '') }, 'request failed');
    answer = { status: 500 };
  }
  if (response.destroyed) return;
  const body = answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json);
  const type = answer.json === undefined ? 'text/plain' : 'application/json';
  response.writeHead(answer.status, {
    ...cors,
    'Cache-Control': 'no-store',
    ...(body && { 'Content-Type': type }),
    ...(answer.status !== 204 && { 'Content-Length': Buffer.byteLength(body) }),
    ...answer.headers,
  });
  response.end(body);
  request.resume();
}

async function answerTo(
  endpoint: Endpoint,
  isNegotiation: boolean,
  params: URLSearchParams,
  request: IncomingMessage,
): Promise<Answer> {
  const { runtime } = endpoint;
  const { method } = request;
  if (method === 'OPTIONS') return { status: 204 };
  const allowed = isNegotiation ? ['POST'] : ['GET', 'POST', 'DELETE'];
  if (!method || !allowed.includes(method)) return { status: 405, headers: { Allow: allowed.join(', ') } };
  const who = await identify(runtime, request, params);
  if (!who) return { status: 401 };
  if (!isNegotiation) return answerToTransport(runtime, params, request, who.userId);
  if (endpoint.draining()) return { status: 503, text: texts.shuttingDown, headers: { 'Retry-After': '1' } };
  const negotiation = negotiate(runtime, request, params, who);
  if (!negotiation) return { status: 503, text: texts.tooManyNegotiations, headers: { 'Retry-After': '15' } };
  return { status: 200, json: negotiation };
}

/** Requests of the transports other than WebSockets, of which none is offered: only refusals are left. */
function answerToTransport(
  runtime: HubRuntime,
  params: URLSearchParams,
  request: IncomingMessage,
  userId: string | undefined,
): Answer {
  const token = param(params, 'id');
  if (!token) return { status: 400, text: texts.idRequired };
  const connection = runtime.registry.find(token);
  if (!connection) return { status: 404, text: texts.idUnknown };
  if (connection.who.userId !== userId) return { status: 403, text: texts.otherUser };
  if (request.method === 'GET') {
    const wanted: TransportName = request.headers.accept?.includes('text/event-stream')
      ? 'ServerSentEvents'
      : 'LongPolling';
    const offered = offeredTransports.some(({ transport }) => transport === wanted);
    return offered
      ? { status: 400, text: texts.changedTransport }
      : { status: 404, text: texts.transportNotOffered(wanted) };
  }
  if (connection.state === 'negotiated') return { status: 404, text: texts.idUnknown };
  return request.method === 'POST'
    ? { status: 405, text: texts.postOnWebSocket }
    : { status: 400, text: texts.deleteOnWebSocket };
}

/** Upgrades to a WebSocket, or answers why not. */
export async function upgrade(
  endpoint: Endpoint,
  params: URLSearchParams,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const onError = () => socket.destroy();
  socket.on('error', onError);
  let outcome: Answer | (() => Connection);
  try {
    outcome = await prepare(endpoint, params, request);
  } catch (err) {
    endpoint.runtime.logger.error({ err, url: redactUrl(request.url ?? '') }, 'upgrade failed');
    outcome = { status: 500 };
  }
  if (typeof outcome !== 'function') return reject(socket, outcome);
  socket.off('error', onError);
  endpoint.accept(request, socket, head, outcome);
}

async function prepare(
  endpoint: Endpoint,
  params: URLSearchParams,
  request: IncomingMessage,
): Promise<Answer | (() => Connection)> {
  const { runtime } = endpoint;
  if (!originAllowed(request, endpoint.cors)) return { status: 403, text: texts.originRefused };
  const who = await identify(runtime, request, params);
  if (!who) return { status: 401 };
  if (endpoint.draining()) return { status: 503, text: texts.shuttingDown };
  const token = param(params, 'id');
  const reserved = token ? runtime.registry.find(token) : undefined;
  if (token && !reserved) return { status: 404, text: texts.idUnknown };
  if (reserved && reserved.who.userId !== who.userId) return { status: 403, text: texts.otherUser };
  if (reserved && reserved.state !== 'negotiated') return { status: 409, text: texts.alreadyConnected };
  return () => {
    const connection = reserved ?? new Connection(runtime, who, '', false);
    connection.who = who;
    connection.search = publicSearch(params);
    runtime.started(connection);
    return connection;
  };
}

function reject(socket: Duplex, { status, text = '' }: Answer): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...(text ? ['Content-Type: text/plain'] : []),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
