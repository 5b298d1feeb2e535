import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Encoded } from '../protocol/encoded.ts';
import { frame } from '../protocol/frame.ts';
import type { Connection } from '../session/connection.ts';
import { receive } from '../session/receive.ts';
import type { Transport } from '../session/transport.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';

/** How long the peer may take to answer a close frame. */
const closeTimeoutMs = 5_000;

/** A `ws` socket that answers a close frame with 1000, whatever code it has (ws would echo it), and knows its transport. */
class HubSocket extends WebSocket {
  transport: WebSocketTransport | undefined;
  override close(code = 1000, reason?: string | Buffer): void {
    const isAnswer = (this as unknown as { _closeFrameReceived: boolean })._closeFrameReceived;
    if (isAnswer) super.close(1000);
    else super.close(code, reason);
  }
}

/** Where a socket keeps its transport. */
const transportOf = Symbol('transport');
type Line = Duplex & { [transportOf]?: WebSocketTransport };

class WebSocketTransport implements Transport, FrameSink {
  readonly name = 'WebSockets';
  readonly binary = true;
  readonly connection: Connection;
  readonly #ws: HubSocket;
  readonly #socket: Line;
  readonly #reader: FrameReader;
  readonly #readRest: (bytes: Buffer) => void;
  /** When the probe that is under way was sent; 0: none is. */
  #probedAt = 0;

  /** Takes the reading over from `ws`, which from now on gets what is left to it. */
  constructor(connection: Connection, ws: HubSocket, socket: Line, maxPayload: number) {
    this.connection = connection;
    this.#ws = ws;
    this.#socket = socket;
    this.#reader = new FrameReader(maxPayload);
    const [readRest] = socket.listeners('data').slice(-1) as ((bytes: Buffer) => void)[];
    if (!readRest) throw new Error('ws does not read its socket.');
    this.#readRest = readRest;
    socket[transportOf] = this;
    socket.on('data', onData);
    socket.off('data', readRest);
  }

  read(chunk: Buffer): void {
    this.connection.burst = 0;
    this.#reader.read(chunk, this);
  }

  get isMidway(): boolean {
    return this.#reader.isMidway;
  }

  /**
   * `ws` has refused something. What it is handed from now on would make it pause the socket, and nobody would see the other side
   * hang up; what nobody listens to goes by.
   */
  refused(): void {
    this.#socket.off('data', onData);
  }

  message(payload: Buffer): void {
    // What a replaced socket still delivers would be counted twice.
    if (this.connection.transport === this) receive(this.connection, payload);
  }

  rest(bytes: Buffer): void {
    this.#readRest.call(this.#socket, bytes);
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

  /** Writes the frame past `ws`: without compression its sender keeps no state, and a frame made once serves every receiver. */
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
    // A paused socket would never see the peer's close frame.
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

  answered(): void {
    if (this.#probedAt > 0) this.connection.host.roundTrips.add(performance.now() - this.#probedAt);
    this.#probedAt = 0;
  }
}

/** Listeners are shared by all sockets: a closure per connection would cost memory. */
function onData(this: Line, chunk: Buffer): void {
  this[transportOf]?.read(chunk);
}

function onPong(this: WebSocket): void {
  (this as HubSocket).transport?.answered();
}

function onClose(this: WebSocket, code: number): void {
  const { transport } = this as HubSocket;
  // 1006: the line broke. 1001: the page went away, by closing, by reloading, or because it was frozen: nobody said goodbye.
  const how = code === 1006 ? 'lost' : code === 1001 ? 'left' : 'goodbye';
  transport?.connection.transportEnded(transport, how);
}

/** The peer broke RFC 6455 or sent too much (`ws` has answered with the fitting close frame), or its line broke. */
function onError(this: WebSocket, error: Error & { code?: string }): void {
  const { transport } = this as HubSocket;
  transport?.refused();
  const isProtocol = error.code?.startsWith('WS_ERR_') ?? false;
  transport?.connection.transportEnded(transport, isProtocol ? 'error' : 'lost');
}

export type AcceptWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connect: () => Connection,
) => void;

/** Makes the function that completes upgrades; `connect` is called only when the request is a proper one. */
export function webSockets(maxPayload: number): AcceptWebSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory per connection and mixes secrets with what an attacker chooses (BREACH).
    perMessageDeflate: false,
    maxPayload,
    closeTimeout: closeTimeoutMs,
    WebSocket: HubSocket,
  } as ConstructorParameters<typeof WebSocketServer<typeof HubSocket>>[0]);
  return (request, socket, head, connect) =>
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = connect();
      ws.transport = new WebSocketTransport(connection, ws, socket, maxPayload);
      ws.on('pong', onPong);
      ws.on('close', onClose);
      ws.on('error', onError);
      if (connection.state === 'active') connection.reattach(ws.transport);
      else connection.attach(ws.transport);
    });
}
