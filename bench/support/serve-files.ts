import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * A plain server of files, as the reference for recordings. `POST /NAME` writes the body to a file of the folder (the argument) and
 * answers after fsync of the file and the folder; `GET /NAME` answers a range. Prints its port.
 */
const [folder = ''] = process.argv.slice(2);

const server = http.createServer((request, response) => {
  const file = path.join(folder, path.basename(request.url ?? ''));
  (request.method === 'POST' ? receive(file, request, response) : send(file, request, response)).catch(() =>
    response.writeHead(500).end(),
  );
});

async function receive(file: string, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const unfinished = `${file}.part`;
  await pipeline(request, fs.createWriteStream(unfinished, { flush: true }));
  await fs.promises.rename(unfinished, file);
  const handle = await fs.promises.open(folder);
  await handle.sync();
  await handle.close();
  response.writeHead(200, { 'content-length': 0 }).end();
}

async function send(file: string, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { size } = await fs.promises.stat(file);
  const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const range = { start: Number(start), end: end === '' ? size - 1 : Number(end) };
  response.writeHead(206, {
    'accept-ranges': 'bytes',
    'content-type': 'video/mp4',
    'content-length': range.end - range.start + 1,
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
  });
  await pipeline(fs.createReadStream(file, range), response);
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
