import http from 'node:http';
import type { ClientKind } from './kinds.ts';
import { RawSocket } from './raw-socket.ts';
import type { Data } from './servers/relay.ts';

export interface Place {
  readonly port: number;
  readonly room: string;
  readonly user: string;
}

export interface Opened {
  readonly socket: RawSocket;
  /** The URL for resuming the connection, when stateful reconnect was requested and granted. */
  readonly resume?: string | undefined;
}

/** A protocol over a plain WebSocket, so that the clients of all servers cost the same. */
export interface Dialect {
  /** Resolves when messages can be sent. */
  open(place: Place): Promise<Opened>;
  encode(data: Data): string;
  /** Returns the data of a relayed message; throws or returns undefined when it is not one. */
  decode(frame: string): unknown;
  /** Responds to a control frame of the protocol. */
  control?(socket: RawSocket, frame: string): void;
}

const separator = '\u001e';

const bare: Dialect = {
  open: async ({ port, room }) => ({ socket: await dial(`ws://127.0.0.1:${port}/?room=${room}`) }),
  encode: (data) => JSON.stringify(data),
  decode: (frame) => JSON.parse(frame),
};

const socketIo: Dialect = {
  open: async ({ port, room }) => {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket&room=${room}`;
    // Engine.IO opens, then the client connects to the namespace.
    return { socket: await dial(url, (frame) => (frame.startsWith('0') ? '40' : undefined)) };
  },
  encode: (data) => `42${JSON.stringify(['SendData', data])}`,
  decode: (frame) => {
    const [name, data] = JSON.parse(frame.slice(2)) as [string, unknown];
    return frame.startsWith('42') && name === 'Notify' ? data : undefined;
  },
  control: (socket, frame) => {
    if (frame === '2') socket.sendText('3');
  },
};

const signalR = (stateful: boolean): Dialect => ({
  open: (place) => openSignalR(place, stateful),
  encode: (data) => JSON.stringify({ type: 1, target: 'SendData', arguments: [data] }) + separator,
  decode: (frame) => {
    if (frame.indexOf(separator) !== frame.length - 1) return undefined;
    const message = JSON.parse(frame.slice(0, -1)) as { type: number; target: string; arguments: unknown[] };
    return message.type === 1 && message.target === 'Notify' ? message.arguments[0] : undefined;
  },
});

export const dialects: Record<ClientKind, Dialect> = {
  ws: bare,
  'ws-json': bare,
  'socket.io': socketIo,
  signalr: signalR(false),
  'signalr-stateful': signalR(true),
};

/** Connects as Microsoft's client does: negotiation, WebSocket, handshake. */
export async function openSignalR({ port, room, user }: Place, stateful: boolean): Promise<Opened> {
  const path = `/messaging/negotiate?negotiateVersion=1${stateful ? '&useStatefulReconnect=true' : ''}`;
  const { connectionToken, useStatefulReconnect = false } = await negotiate(port, path, user);
  const url = `ws://127.0.0.1:${port}/messaging?id=${connectionToken}&access_token=${user}&room=${room}`;
  const version = useStatefulReconnect ? 2 : 1;
  const onHandshake = (frame: string) => {
    if (frame === `{}${separator}`) return undefined;
    throw new Error(`Handshake: ${frame}`);
  };
  const socket = await dial(url, onHandshake, `{"protocol":"json","version":${version}}${separator}`);
  return { socket, resume: useStatefulReconnect ? url : undefined };
}

interface Negotiated {
  readonly connectionToken: string;
  readonly useStatefulReconnect?: boolean;
}

function negotiate(port: number, path: string, user: string): Promise<Negotiated> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${user}` };
    const request = http.request({ agent: false, host: '127.0.0.1', port, method: 'POST', path, headers });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text) as Negotiated);
        else reject(new Error(`negotiate: ${response.statusCode} ${text}`));
      });
    });
    request.end();
  });
}

/**
 * Opens a WebSocket. With `answer`, it resolves after the first frame for which `answer` returns undefined, and rejects when `answer`
 * throws. `first` is sent immediately.
 */
export async function dial(
  url: string,
  answer?: (frame: string) => string | undefined,
  first?: string,
): Promise<RawSocket> {
  const socket = new RawSocket(url);
  const ready = new Promise<void>((resolve, reject) => {
    if (!answer) return resolve();
    void socket.closed.then(() => reject(new Error(`${url} was closed.`)));
    socket.onFrame = (data, start, end) => {
      try {
        const reply = answer(data.toString('utf8', start, end));
        if (reply !== undefined) return socket.sendText(reply);
        socket.onFrame = ignore;
        resolve();
      } catch (error) {
        reject(error);
        socket.terminate();
      }
    };
  });
  const open = socket.opened.then(() => {
    if (first !== undefined) socket.sendText(first);
  });
  await Promise.all([open, ready]);
  return socket;
}

function ignore(): void {}
