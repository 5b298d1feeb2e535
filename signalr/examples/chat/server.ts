import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createHubServer } from '@roomside/signalr';
import { chat } from './hub.ts';

/** `node server.ts` serves the chat at http://localhost:8080; open it in two windows. `PORT` is another port, 0 a free one. */

const client = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@microsoft/signalr/package.json')),
  'dist/browser/signalr.min.js',
);
const files: Record<string, readonly [file: string, type: string]> = {
  '/': [path.join(import.meta.dirname, 'index.html'), 'text/html; charset=utf-8'],
  '/signalr.js': [client, 'text/javascript; charset=utf-8'],
};

const hubs = createHubServer({ hubs: [chat] });
const http = createServer((request, response) => {
  if (hubs.request(request, response)) return;
  const [file, type] = files[request.url ?? ''] ?? [];
  if (file === undefined) response.writeHead(404).end();
  else createReadStream(file).pipe(response.writeHead(200, { 'Content-Type': type }));
});
http.on('upgrade', (request, socket, head) => {
  if (!hubs.upgrade(request, socket, head)) socket.destroy();
});
http.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => {
  const address = http.address();
  console.log(`http://localhost:${typeof address === 'object' && address ? address.port : ''}`);
});

async function stop(): Promise<void> {
  await hubs.drain();
  await hubs.close();
  http.close();
}
process.once('SIGTERM', () => void stop());
