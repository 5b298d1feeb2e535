import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** A short answer to a request or an upgrade. */
export interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

export function send(response: ServerResponse, answer: Answer, more: object): void {
  if (response.destroyed || response.headersSent) return;
  const body = answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json);
  const type = answer.json === undefined ? 'text/plain' : 'application/json';
  response.writeHead(answer.status, {
    ...more,
    'Cache-Control': 'no-store',
    ...(body && { 'Content-Type': type }),
    ...(answer.status !== 204 && { 'Content-Length': Buffer.byteLength(body) }),
    ...answer.headers,
  });
  response.end(body);
}

/** Answers an upgrade with a refusal, and ends the socket. */
export function reject(socket: Duplex, { status, text = '' }: Answer): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...(text ? ['Content-Type: text/plain'] : []),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
