import http from 'node:http';
import type { ClientKind } from './kinds.ts';
import { Line } from './line.ts';
import type { Data } from './servers/relay.ts';

export interface Place {
  readonly port: number;
  readonly room: string;
  readonly user: string;
}

export interface Opened {
  readonly line: Line;
  /** Set when stateful reconnect was asked for and granted: where the connection could be resumed. */
  readonly resume?: string | undefined;
}

/** A protocol by hand over a bare WebSocket, so that every server meets a client of the same cost. */
export interface Dialect {
  /** Resolves when messages may flow. */
  open(place: Place): Promise<Opened>;
  encode(data: Data): string;
  /** Of a relayed message. Throws when it is none. */
  decode(frame: string): unknown;
  /** Answers a frame of the protocol itself. */
  control?(line: Line, frame: string): void;
}

const separator = '\u001e';

const bare: Dialect = {
  open: async ({ port, room }) => ({ line: await dial(`ws://127.0.0.1:${port}/?room=${room}`) }),
  encode: (data) => JSON.stringify(data),
  decode: (frame) => JSON.parse(frame),
};

const socketIo: Dialect = {
  open: async ({ port, room }) => {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket&room=${room}`;
    // Engine.IO opens, then the client asks for the namespace and is let in.
    return { line: await dial(url, (frame) => (frame.startsWith('0') ? '40' : undefined)) };
  },
  encode: (data) => `42${JSON.stringify(['SendData', data])}`,
  decode: (frame) => {
    const [name, data] = JSON.parse(frame.slice(2)) as [string, unknown];
    return frame.startsWith('42') && name === 'Notify' ? data : undefined;
  },
  control: (line, frame) => {
    if (frame === '2') line.sendText('3');
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

/** Negotiation by HTTP, WebSocket, handshake: the way of the real client. */
export async function openSignalR({ port, room, user }: Place, stateful: boolean): Promise<Opened> {
  const path = `/messaging/negotiate?negotiateVersion=1${stateful ? '&useStatefulReconnect=true' : ''}`;
  const { connectionToken, useStatefulReconnect = false } = await negotiate(port, path, user);
  const url = `ws://127.0.0.1:${port}/messaging?id=${connectionToken}&access_token=${user}&room=${room}`;
  const version = useStatefulReconnect ? 2 : 1;
  const shaken = (frame: string) => {
    if (frame === `{}${separator}`) return undefined;
    throw new Error(`Handshake: ${frame}`);
  };
  const line = await dial(url, shaken, `{"protocol":"json","version":${version}}${separator}`);
  return { line, resume: useStatefulReconnect ? url : undefined };
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
 * Opens a line. With `answer`, it is ready once a frame has no answer; what `answer` throws fails it.
 * `first` is what the client says unasked.
 */
export async function dial(url: string, answer?: (frame: string) => string | undefined, first?: string): Promise<Line> {
  const line = new Line(url);
  const greeted = new Promise<void>((resolve, reject) => {
    if (!answer) return resolve();
    void line.closed.then(() => reject(new Error(`${url} was closed.`)));
    line.onFrame = (data, start, end) => {
      try {
        const reply = answer(data.toString('utf8', start, end));
        if (reply !== undefined) return line.sendText(reply);
        line.onFrame = ignore;
        resolve();
      } catch (error) {
        reject(error);
        line.terminate();
      }
    };
  });
  const open = line.opened.then(() => {
    if (first !== undefined) line.sendText(first);
  });
  await Promise.all([open, greeted]);
  return line;
}

function ignore(): void {}
