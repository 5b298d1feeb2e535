import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** A short response to a request or an upgrade. */
export interface HttpReply {
  readonly status: number;
  readonly text?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

export function send(response: ServerResponse, reply: HttpReply, more: object): void {
  if (response.destroyed || response.headersSent) return;
  const body = reply.json === undefined ? (reply.text ?? '') : JSON.stringify(reply.json);
  const type = reply.json === undefined ? 'text/plain' : 'application/json';
  response.writeHead(reply.status, {
    ...more,
    'Cache-Control': 'no-store',
    ...(body && { 'Content-Type': type }),
    ...(reply.status !== 204 && { 'Content-Length': Buffer.byteLength(body) }),
    ...reply.headers,
  });
  response.end(body);
}

/** Refuses an upgrade and closes the socket. */
export function reject(socket: Duplex, { status, text = '' }: HttpReply): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...(text ? ['Content-Type: text/plain'] : []),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
