import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { receive } from '../session/receive.ts';
import type { Connection } from './connection.ts';
import { frame } from './frame.ts';
import type { Encoded, Transport } from './transport.ts';

/** How long the peer may take to answer a close frame. */
const closeTimeoutMs = 5_000;
/** One frame may hold many messages, so it may be far larger than a message. */
const minPayloadBytes = 1 << 20;

/** A `ws` socket that answers a close frame without a code with 1000 (ws would echo "no code"), and knows its transport. */
class HubSocket extends WebSocket {
  transport: WebSocketTransport | undefined;
  override close(code = 1000, reason?: string | Buffer): void {
    super.close(code, reason);
  }
}

class WebSocketTransport implements Transport {
  readonly name = 'WebSockets';
  readonly binary = true;
  readonly connection: Connection;
  readonly #ws: HubSocket;
  readonly #socket: Duplex;

  constructor(connection: Connection, ws: HubSocket, socket: Duplex) {
    this.connection = connection;
    this.#ws = ws;
    this.#socket = socket;
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  /** Writes the frame past `ws`: without compression its sender keeps no state, and a frame made once serves every receiver. */
  send(encoded: Encoded): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    encoded.frame ??= frame(encoded.data);
    this.#socket.write(encoded.frame);
  }

  pause(): void {
    this.#ws.pause();
  }

  resume(): void {
    this.#ws.resume();
  }

  close(): void {
    // A paused socket would never see the peer's close frame.
    this.#ws.resume();
    this.#ws.close(1000);
  }

  destroy(): void {
    this.#ws.terminate();
  }
}

/** Listeners are shared by all sockets: a closure per connection would cost memory. */
function onMessage(this: WebSocket, data: Buffer): void {
  const { transport } = this as HubSocket;
  if (transport) receive(transport.connection, data);
}

function onClose(this: WebSocket, code: number): void {
  // 1006: the line broke. 1001: the page went away, by closing or by reloading: nobody has said goodbye.
  (this as HubSocket).transport?.connection.transportEnded(code === 1006 || code === 1001 ? 'lost' : 'goodbye');
}

/** The peer broke RFC 6455 or sent too much; `ws` has answered with the fitting close frame. */
function onError(this: WebSocket): void {
  (this as HubSocket).transport?.connection.transportEnded('error');
}

export type AcceptWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connect: () => Connection,
) => void;

/** Makes the function that completes upgrades; `connect` is called only when the request is a proper one. */
export function webSockets(maxMessageBytes: number): AcceptWebSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory per connection and mixes secrets with what an attacker chooses (BREACH).
    perMessageDeflate: false,
    maxPayload: Math.max(minPayloadBytes, 4 * maxMessageBytes),
    closeTimeout: closeTimeoutMs,
    WebSocket: HubSocket,
  } as ConstructorParameters<typeof WebSocketServer<typeof HubSocket>>[0]);
  return (request, socket, head, connect) =>
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = connect();
      ws.transport = new WebSocketTransport(connection, ws, socket);
      ws.on('message', onMessage);
      ws.on('close', onClose);
      ws.on('error', onError);
      connection.attach(ws.transport);
    });
}
