import type { Duplex } from 'node:stream';
import type { Admitted, Newcomer } from '../admission.ts';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import type { HubRuntime } from '../runtime.ts';
import { Connection } from '../session/connection.ts';
import { identify } from './auth.ts';
import { originAllowed } from './cors.ts';
import { type ConnectFields, connectFieldsOf, type HubRequest, offeredTransports, quotaOf } from './hub-request.ts';
import { param } from './query.ts';
import { redactUrl } from './redact.ts';
import { type HttpReply, reject } from './reply.ts';

/** Upgrades to a WebSocket, or refuses with a status code. */
export async function upgrade(hubRequest: HubRequest, socket: Duplex, head: Buffer): Promise<void> {
  const onError = () => socket.destroy();
  socket.on('error', onError);
  const accept = (connect: () => Connection) => {
    socket.off('error', onError);
    hubRequest.endpoint.accept(hubRequest.request, socket, head, connect);
  };
  let refusal: HttpReply | undefined;
  try {
    refusal = await accepted(hubRequest, socket, head, accept);
  } catch (err) {
    hubRequest.endpoint.runtime.logger.error({ err, url: redactUrl(hubRequest.request.url ?? '') }, 'upgrade failed');
    refusal = { status: 500 };
  }
  if (refusal) reject(socket, refusal);
}

/**
 * Checks an upgrade and accepts it. The last check and the acceptance are synchronous, so that one of two simultaneous upgrades is
 * refused. Returns undefined when the upgrade was accepted or forwarded.
 */
async function accepted(
  hubRequest: HubRequest,
  socket: Duplex,
  head: Buffer,
  accept: (connect: () => Connection) => void,
): Promise<HttpReply | undefined> {
  const { endpoint, params, request } = hubRequest;
  const { runtime } = endpoint;
  const connecting = connectFieldsOf(hubRequest);
  if (!originAllowed(request, endpoint.cors)) return { status: 403, text: texts.originRefused };
  const token = param(params, 'id');
  if (token && foreignInstance(token, runtime.instance))
    return endpoint.forwarder.forwardUpgrade(request, token, socket, head);
  const user = await identify(runtime, request, params);
  if (!user) return { status: 401 };
  if (!offeredTransports(runtime, request).includes('WebSockets'))
    return { status: 404, text: texts.transportNotOffered('WebSockets') };
  if (!token) {
    if (endpoint.isDraining()) return { status: 503, text: texts.shuttingDown };
    if (socket.destroyed) return undefined;
    const quota = quotaOf(hubRequest, user);
    const admitted = await admit(hubRequest, quota.newcomer, socket);
    if (endpoint.isDraining()) return { status: 503, text: texts.shuttingDown };
    if (admitted === 'no') return { status: 503, text: texts.busy };
    if (admitted === 'yes')
      accept(() =>
        started(
          runtime,
          connecting,
          new Connection(runtime, user, { instance: runtime.instance, address: quota.address, quotaKey: '' }),
        ),
      );
    return undefined;
  }
  const known = runtime.registry.find(token);
  if (!known) return { status: 404, text: texts.idUnknown };
  if (known.user.userId !== user.userId) return { status: 403, text: texts.otherUser };
  // Clients may resume their connections while the server drains.
  if (endpoint.isDraining() && !known.isResumable) return { status: 503, text: texts.shuttingDown };
  if (known.state.kind !== 'negotiated' && !known.isResumable) {
    return known.transport?.name === 'WebSockets'
      ? { status: 409, text: texts.alreadyConnected }
      : { status: 400, text: texts.changedTransport };
  }
  accept(() => {
    known.user = user;
    return known.state.kind === 'active' ? known : started(runtime, connecting, known);
  });
  return undefined;
}

/** Waits for admission. Reads the socket's end meanwhile, because nothing else reads the socket yet. */
async function admit({ endpoint }: HubRequest, newcomer: Newcomer, socket: Duplex): Promise<Admitted> {
  const admitted = endpoint.admission.enter(endpoint.runtime.definition.path, newcomer, socket);
  if (typeof admitted === 'string') return admitted;
  const onReadable = () => {
    // Received data stays in the buffer; with an empty buffer this reads the end.
    if (socket.readableLength === 0) socket.read();
  };
  const onEnd = () => socket.destroy();
  socket.on('readable', onReadable).on('end', onEnd);
  const outcome = await admitted;
  socket.off('readable', onReadable).off('end', onEnd);
  return outcome;
}

function started(runtime: HubRuntime, connecting: ConnectFields, connection: Connection): Connection {
  Object.assign(connection, connecting);
  runtime.started(connection);
  return connection;
}
