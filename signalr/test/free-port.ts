import { once } from 'node:events';
import net from 'node:net';

/** Ports below those that the system gives for port 0: from 32768 on, on Linux. Each process of the tests has its own. */
const count = 50;
const first = 12_000 + (process.pid % 400) * count;
let given = 0;

/** Returns a port of this machine that is free. The same process gets it again after 50 others. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = first + (given++ % count);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${first} to ${first + count - 1} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = net.createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
