import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Encoded } from '../protocol/encoded.ts';
import { frame } from '../protocol/frame.ts';
import type { Connection } from '../session/connection.ts';
import { maxHandshakeBytes, receive } from '../session/receive.ts';
import type { Transport } from '../session/transport.ts';

/** The timeout for the peer's close frame, ms. */
const closeTimeoutMs = 5_000;
/** The maximum number of fragments of one message, and of TCP chunks of one frame: `ws` keeps each until the message or frame is complete. */
const maxFragments = 1_024;
const maxBufferedChunks = 16_384;

/** A `ws` WebSocket with its transport. It responds to every close frame with code 1000; `ws` would echo the code. */
class HubSocket extends WebSocket {
  transport: WebSocketTransport | undefined;
  override close(code = 1000, reason?: string | Buffer): void {
    const isAnswer = (this as unknown as { _closeFrameReceived: boolean })._closeFrameReceived;
    if (isAnswer) super.close(1000);
    else super.close(code, reason);
  }
}

/** The fields of the receiver of `ws` that show whether a frame or message is incomplete; it has no public ones. */
interface Receiver {
  /** 0: a frame begins next. */
  readonly _state: number;
  readonly _bufferedBytes: number;
  /** The opcode of an incomplete fragmented message; 0: there is none. */
  readonly _fragmented: number;
  /** The maximum size of a frame or message, bytes. */
  _maxPayload: number;
}

/** The socket's property for its transport. */
const transportOf = Symbol('transport');
type TransportSocket = Duplex & { [transportOf]?: WebSocketTransport };

/** Reads by `ws`. Writes to the socket directly, so that connections share a frame. */
class WebSocketTransport implements Transport {
  readonly name = 'WebSockets';
  readonly binary = true;
  readonly connection: Connection;
  readonly #ws: HubSocket;
  readonly #socket: TransportSocket;
  readonly #receiver: Receiver;
  /** When the pending ping was sent; 0: none is pending. */
  #probedAt = 0;

  constructor(connection: Connection, ws: HubSocket, socket: TransportSocket) {
    this.connection = connection;
    this.#ws = ws;
    this.#socket = socket;
    this.#receiver = (ws as unknown as { _receiver: Receiver })._receiver;
    const { _fragmented, _maxPayload } = this.#receiver ?? {};
    if (typeof _fragmented !== 'number' || typeof _maxPayload !== 'number')
      throw new Error('This version of ws has another receiver.');
    this.#limitFrames();
    socket[transportOf] = this;
    socket.prependListener('data', onData);
    ws.on('message', onMessage);
  }

  get hasPartialFrame(): boolean {
    const { _state, _bufferedBytes, _fragmented } = this.#receiver;
    return _state !== 0 || _bufferedBytes > 0 || _fragmented !== 0;
  }

  message(payload: Buffer): void {
    // Messages from a replaced socket are ignored: the client repeats them.
    if (this.connection.transport !== this) return;
    const isHandshake = this.connection.protocol === undefined;
    receive(this.connection, payload);
    if (isHandshake) this.#limitFrames();
  }

  /** Until the handshake, which an application counts its clients by, a frame has room for it and one message behind it. */
  #limitFrames(): void {
    const { host, protocol } = this.connection;
    this.#receiver._maxPayload = protocol ? host.maxPayload : maxHandshakeBytes + host.maxBytes;
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  get congested(): boolean {
    return this.#socket.writableNeedDrain;
  }

  onDrain(callback: () => void): void {
    this.#socket.once('drain', callback);
  }

  /** Writes the frame directly to the socket. Without compression the sender of `ws` has no state, and connections share the frame. */
  send(encoded: Encoded): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    encoded.frame ??= frame(encoded.data);
    this.#socket.write(encoded.frame);
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  pause(): void {
    this.#ws.pause();
  }

  resume(): void {
    this.#ws.resume();
  }

  close(): void {
    // A paused socket would not read the peer's close frame.
    this.#ws.resume();
    this.#ws.close(1000);
  }

  destroy(): void {
    this.#ws.terminate();
  }

  probe(): void {
    if (this.#ws.readyState !== WebSocket.OPEN || this.#probedAt > 0) return;
    this.#probedAt = performance.now();
    this.#ws.ping();
  }

  onPong(): void {
    if (this.#probedAt > 0) this.connection.host.roundTrips.add(performance.now() - this.#probedAt);
    this.#probedAt = 0;
  }
}

/** Bytes have arrived; `ws` reads them afterwards. The listeners are shared by all sockets to save a closure per connection. */
function onData(this: TransportSocket): void {
  const transport = this[transportOf];
  if (transport) transport.connection.inbound.burst = 0;
}

/** With the default `binaryType` of `ws` every message is a buffer, also of text. */
function onMessage(this: WebSocket, data: RawData): void {
  (this as HubSocket).transport?.message(data as Buffer);
}

function onPong(this: WebSocket): void {
  (this as HubSocket).transport?.onPong();
}

function onClose(this: WebSocket, code: number): void {
  const { transport } = this as HubSocket;
  // 1006: the connection was lost. 1001: the page was closed, reloaded or frozen, without a Close message.
  const how = code === 1006 ? 'lost' : code === 1001 ? 'going-away' : 'stopped';
  transport?.connection.transportEnded(transport, how);
}

/** The peer violated RFC 6455 or exceeded the limit (`ws` has sent the close frame), or the connection was lost. */
function onError(this: WebSocket, error: Error & { code?: string }): void {
  const { transport } = this as HubSocket;
  const isProtocol = error.code?.startsWith('WS_ERR_') ?? false;
  transport?.connection.transportEnded(transport, isProtocol ? 'error' : 'lost');
}

export type AcceptWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connect: () => Connection,
) => void;

/** Returns the function that completes upgrades; it calls `connect` only for a valid upgrade request. */
export function webSockets(maxPayload: number): AcceptWebSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression needs memory per connection, and with attacker-controlled data it can reveal secrets (BREACH).
    perMessageDeflate: false,
    maxPayload,
    maxFragments,
    maxBufferedChunks,
    closeTimeout: closeTimeoutMs,
    WebSocket: HubSocket,
  } as ConstructorParameters<typeof WebSocketServer<typeof HubSocket>>[0]);
  return (request, socket, head, connect) =>
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = connect();
      ws.transport = new WebSocketTransport(connection, ws, socket);
      ws.on('pong', onPong);
      ws.on('close', onClose);
      ws.on('error', onError);
      if (connection.state.kind === 'active') connection.reattach(ws.transport);
      else connection.attach(ws.transport);
    });
}
