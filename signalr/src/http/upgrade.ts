import type { Duplex } from 'node:stream';
import type { Admitted } from '../admission.ts';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import type { HubRuntime } from '../runtime.ts';
import { Connection } from '../session/connection.ts';
import { type Answer, reject } from './answer.ts';
import { identify } from './auth.ts';
import { originAllowed } from './cors.ts';
import { type ConnectingRequest, type HubRequest, offered, originOf, requestOf } from './hub-request.ts';
import { param } from './query.ts';
import { redactUrl } from './redact.ts';

/** Upgrades to a WebSocket, or answers why not. */
export async function upgrade(asked: HubRequest, socket: Duplex, head: Buffer): Promise<void> {
  const onError = () => socket.destroy();
  socket.on('error', onError);
  const accept = (connect: () => Connection) => {
    socket.off('error', onError);
    asked.endpoint.accept(asked.request, socket, head, connect);
  };
  let refusal: Answer | undefined;
  try {
    refusal = await accepted(asked, socket, head, accept);
  } catch (err) {
    asked.endpoint.runtime.logger.error({ err, url: redactUrl(asked.request.url ?? '') }, 'upgrade failed');
    refusal = { status: 500 };
  }
  if (refusal) reject(socket, refusal);
}

/**
 * Accepts in the same moment in which the connection was found to be free: of two upgrades at once one is refused. Undefined: done, or
 * another process deals with it.
 */
async function accepted(
  asked: HubRequest,
  socket: Duplex,
  head: Buffer,
  accept: (connect: () => Connection) => void,
): Promise<Answer | undefined> {
  const { endpoint, params, request } = asked;
  const { runtime } = endpoint;
  const connecting = requestOf(asked);
  if (!originAllowed(request, endpoint.cors)) return { status: 403, text: texts.originRefused };
  const token = param(params, 'id');
  if (token && foreignInstance(token, runtime.instance))
    return endpoint.forwarder.forwardUpgrade(request, token, socket, head);
  const who = await identify(runtime, request, params);
  if (!who) return { status: 401 };
  if (!offered(runtime, request).includes('WebSockets'))
    return { status: 404, text: texts.transportNotOffered('WebSockets') };
  if (!token) {
    if (endpoint.draining()) return { status: 503, text: texts.shuttingDown };
    if (socket.destroyed) return undefined;
    const origin = originOf(asked, who);
    const admitted = await admit(asked, origin.quotaKey, socket);
    if (endpoint.draining()) return { status: 503, text: texts.shuttingDown };
    if (admitted === 'no') return { status: 503, text: texts.busy };
    if (admitted === 'yes')
      accept(() =>
        started(
          runtime,
          connecting,
          new Connection(runtime, who, { instance: runtime.instance, address: origin.address, quotaKey: '' }),
        ),
      );
    return undefined;
  }
  const known = runtime.registry.find(token);
  if (!known) return { status: 404, text: texts.idUnknown };
  if (known.who.userId !== who.userId) return { status: 403, text: texts.otherUser };
  // Whoever is here already may come back, also while the server empties itself.
  if (endpoint.draining() && !known.resumable) return { status: 503, text: texts.shuttingDown };
  if (known.state !== 'negotiated' && !known.resumable) {
    return known.transport?.name === 'WebSockets'
      ? { status: 409, text: texts.alreadyConnected }
      : { status: 400, text: texts.changedTransport };
  }
  accept(() => {
    known.who = who;
    return known.state === 'active' ? known : started(runtime, connecting, known);
  });
  return undefined;
}

/** Waits for the turn of this newcomer. Nothing reads its socket yet, so the end of it would go unseen. */
async function admit({ endpoint }: HubRequest, quotaKey: string, socket: Duplex): Promise<Admitted> {
  const admitted = endpoint.admission.enter(endpoint.runtime.definition.path, quotaKey, socket);
  if (typeof admitted === 'string') return admitted;
  const onReadable = () => {
    // What has come stays there; without any, this reads the end.
    if (socket.readableLength === 0) socket.read();
  };
  const onEnd = () => socket.destroy();
  socket.on('readable', onReadable).on('end', onEnd);
  const how = await admitted;
  socket.off('readable', onReadable).off('end', onEnd);
  return how;
}

function started(runtime: HubRuntime, connecting: ConnectingRequest, connection: Connection): Connection {
  Object.assign(connection, connecting);
  runtime.started(connection);
  return connection;
}
