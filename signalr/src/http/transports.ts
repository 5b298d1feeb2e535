import type { ServerResponse } from 'node:http';
import { texts } from '../protocol/texts.ts';
import type { Connection } from '../session/connection.ts';
import { EventStreamTransport } from '../transport/event-stream.ts';
import { LongPollingTransport } from '../transport/long-polling.ts';
import type { Identity } from '../types.ts';
import type { Answer } from './answer.ts';
import { type HubRequest, offered, requestOf } from './hub-request.ts';

/** Requests of server-sent events and long polling, and those that belong to no transport. Undefined: the response is dealt with. */
export async function serveTransport(
  asked: HubRequest,
  who: Identity<unknown>,
  token: string | undefined,
  response: ServerResponse,
  cors: object,
): Promise<Answer | undefined> {
  const { request, endpoint } = asked;
  const { runtime } = endpoint;
  if (!token) return { status: 400, text: texts.idRequired };
  const leaving = runtime.registry.leaving(token);
  if (leaving && request.method !== 'POST') {
    if (leaving.connection.who.userId !== who.userId) return { status: 403, text: texts.otherUser };
    const isGet = request.method === 'GET';
    // A client that says goodbye twice, by a message and by DELETE, has made no mistake.
    if (!isGet || !leaving.transport.poll(response, cors)) runtime.registry.left(token);
    return isGet ? undefined : { status: 202 };
  }
  const connection = runtime.registry.find(token);
  if (!connection) return { status: 404, text: texts.idUnknown };
  if (connection.who.userId !== who.userId) return { status: 403, text: texts.otherUser };
  if (request.method === 'GET') return get(asked, connection, who, response, cors);
  if (connection.state === 'negotiated') return { status: 404, text: texts.idUnknown };
  connection.who = who;
  const { transport } = connection;
  if (request.method === 'POST') {
    if (!(transport instanceof EventStreamTransport || transport instanceof LongPollingTransport))
      return { status: 405, text: texts.postOnWebSocket };
    const posted = await transport.inbox.post(request, runtime.maxPayload);
    // The rest of what is too large is not waited for.
    if (posted === 'too-large') return { status: 413, headers: { Connection: 'close' } };
    if (posted === 'late') return { status: 408, headers: { Connection: 'close' } };
    if (posted === 'gone') return { status: 404, text: texts.idUnknown, headers: { Connection: 'close' } };
    return { status: posted === 'accepted' ? 200 : 400 };
  }
  if (!(transport instanceof LongPollingTransport)) return { status: 400, text: texts.notDeletable };
  transport.destroy();
  connection.transportEnded(transport, 'goodbye');
  return { status: 202 };
}

/** The start of an event stream, or a poll. */
function get(
  asked: HubRequest,
  connection: Connection,
  who: Identity<unknown>,
  response: ServerResponse,
  cors: object,
): Answer | undefined {
  const { endpoint, request } = asked;
  const { runtime } = endpoint;
  const wanted = request.headers.accept?.includes('text/event-stream') ? 'ServerSentEvents' : 'LongPolling';
  if (!offered(runtime, request).includes(wanted)) return { status: 404, text: texts.transportNotOffered(wanted) };
  if (connection.state === 'negotiated') {
    if (endpoint.draining()) return { status: 503, text: texts.shuttingDown };
    connection.who = who;
    Object.assign(connection, requestOf(asked));
    runtime.started(connection);
    const Transport = wanted === 'LongPolling' ? LongPollingTransport : EventStreamTransport;
    connection.attach(new Transport(connection, response, cors));
    return undefined;
  }
  const { transport } = connection;
  if (transport?.name !== wanted) return { status: 400, text: texts.changedTransport };
  if (!(transport instanceof LongPollingTransport)) return { status: 409, text: texts.alreadyConnected };
  // A poll with a fresh token is how a client renews it.
  connection.who = who;
  transport.poll(response, cors);
  return undefined;
}
