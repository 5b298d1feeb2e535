import type { ServerResponse } from 'node:http';
import { texts } from '../protocol/texts.ts';
import type { Connection } from '../session/connection.ts';
import { EventStreamTransport } from '../transport/event-stream.ts';
import { LongPollingTransport } from '../transport/long-polling.ts';
import type { Identity } from '../types.ts';
import { connectFieldsOf, type HubRequest, offeredTransports } from './hub-request.ts';
import type { HttpReply } from './reply.ts';

/** Handles requests of server-sent events and long polling. Returns undefined when the transport handles the response. */
export async function serveTransport(
  hubRequest: HubRequest,
  user: Identity<unknown>,
  token: string | undefined,
  response: ServerResponse,
  cors: object,
): Promise<HttpReply | undefined> {
  const { request, endpoint } = hubRequest;
  const { runtime } = endpoint;
  if (!token) return { status: 400, text: texts.idRequired };
  const lastPoll = runtime.registry.lastPoll(token);
  if (lastPoll && request.method !== 'POST') {
    if (lastPoll.connection.user.userId !== user.userId) return { status: 403, text: texts.otherUser };
    const isGet = request.method === 'GET';
    // A DELETE after a Close message is valid.
    if (!isGet || !lastPoll.transport.poll(response, cors)) runtime.registry.removeLastPoll(token);
    return isGet ? undefined : { status: 202 };
  }
  const connection = runtime.registry.find(token);
  if (!connection) return { status: 404, text: texts.idUnknown };
  if (connection.user.userId !== user.userId) return { status: 403, text: texts.otherUser };
  if (request.method === 'GET') return get(hubRequest, connection, user, response, cors);
  if (connection.state.kind === 'negotiated') return { status: 404, text: texts.idUnknown };
  connection.user = user;
  const { transport } = connection;
  if (request.method === 'POST') {
    if (!(transport instanceof EventStreamTransport || transport instanceof LongPollingTransport))
      return { status: 405, text: texts.postOnWebSocket };
    const posted = await transport.posts.post(request, runtime.maxPayload);
    // The rest of the body is not read.
    if (posted === 'too-large') return { status: 413, headers: { Connection: 'close' } };
    if (posted === 'late') return { status: 408, headers: { Connection: 'close' } };
    if (posted === 'gone') return { status: 404, text: texts.idUnknown, headers: { Connection: 'close' } };
    return { status: posted === 'accepted' ? 200 : 400 };
  }
  if (!(transport instanceof LongPollingTransport)) return { status: 400, text: texts.notDeletable };
  transport.destroy();
  connection.transportEnded(transport, 'stopped');
  return { status: 202 };
}

/** Starts an event stream or handles a poll. */
function get(
  hubRequest: HubRequest,
  connection: Connection,
  user: Identity<unknown>,
  response: ServerResponse,
  cors: object,
): HttpReply | undefined {
  const { endpoint, request } = hubRequest;
  const { runtime } = endpoint;
  const wanted = request.headers.accept?.includes('text/event-stream') ? 'ServerSentEvents' : 'LongPolling';
  if (!offeredTransports(runtime, request).includes(wanted))
    return { status: 404, text: texts.transportNotOffered(wanted) };
  if (connection.state.kind === 'negotiated') {
    if (endpoint.isDraining()) return { status: 503, text: texts.shuttingDown };
    connection.user = user;
    Object.assign(connection, connectFieldsOf(hubRequest));
    runtime.started(connection);
    const Transport = wanted === 'LongPolling' ? LongPollingTransport : EventStreamTransport;
    connection.attach(new Transport(connection, response, cors));
    return undefined;
  }
  const { transport } = connection;
  if (transport?.name !== wanted) return { status: 400, text: texts.changedTransport };
  if (!(transport instanceof LongPollingTransport)) return { status: 409, text: texts.alreadyConnected };
  // A client renews its token with a poll.
  connection.user = user;
  transport.poll(response, cors);
  return undefined;
}
