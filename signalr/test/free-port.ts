import { once } from 'node:events';
import net from 'node:net';

/** Ranges of ports below those that the system gives for port 0: from 32768 on, on Linux. */
const first = 12_000;
const ranges = 400;
const size = 50;
let range: Promise<number> | undefined;
let given = 0;

/** Returns a port of this machine that is free. The same process gets it again after 49 others; other processes of the tests do not get it. */
export async function freePort(): Promise<number> {
  range ??= takeRange();
  const start = await range;
  for (let tries = 1; tries < size; tries += 1) {
    const port = start + 1 + (given++ % (size - 1));
    const probe = await listen(port);
    if (!probe) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
  throw new Error(`No port from ${start + 1} to ${start + size - 1} is free.`);
}

/** Takes a range for as long as this process lives, by listening on its first port. Returns that port. */
async function takeRange(): Promise<number> {
  for (let tries = 0; tries < ranges; tries += 1) {
    const port = first + ((process.pid + tries) % ranges) * size;
    const guard = await listen(port);
    if (!guard) continue;
    guard.unref();
    return port;
  }
  throw new Error('All ranges of ports are taken.');
}

async function listen(port: number): Promise<net.Server | undefined> {
  const server = net.createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
