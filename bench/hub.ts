import { readFileSync } from 'node:fs';
import { pinned } from './hub/children.ts';
import { measureIdle, settleMs } from './hub/measure-idle.ts';
import { measureStorm } from './hub/measure-storm.ts';
import { measureTraffic } from './hub/measure-traffic.ts';
import { say, startLoad } from './hub/processes.ts';

/**
 * Compares the SignalR server with `ws` that forwards frames unread, `ws` with JSON parsed and serialized, and socket.io. `count`
 * connections in rooms of two send 1,024 bytes of JSON; then five times as many are idle, and reconnect after the server was killed. With
 * fewer than 1,000 the run is short and inexact. statefulCpuPercent is null when the server does not offer stateful reconnect.
 */
export async function hub(count = 1_000): Promise<Record<string, number | null>> {
  const connections = count - (count % 2);
  const long = connections >= 1_000;
  const turns = long
    ? { saturated: { turns: 11, windowMs: 1_000 }, paced: { turns: 5, windowMs: 10_000 } }
    : { saturated: { turns: 3, windowMs: 300 }, paced: { turns: 3, windowMs: 300 } };
  const [idleTurns, settle] = long ? [2, settleMs] : [1, 1_000];
  const idle = limitToOpenFiles(connections * 5);
  say(`${connections} connections; ${pinned ? 'server and clients a core each' : 'not pinned to cores'}`);
  const load = startLoad();
  const traffic = await measureTraffic(load, connections, turns);
  const memory = await measureIdle(load, idle, idleTurns, settle);
  const storm = await measureStorm(load, idle);
  await load.stop();
  return { connections, idle, ...traffic, ...memory, ...storm };
}

/** Returns the number of connections to three servers that the limit of open files allows, at most `wanted`. */
function limitToOpenFiles(wanted: number): number {
  const limit = Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024);
  const max = Math.floor((limit - 200) / 6) * 2;
  if (max < wanted) say(`Only ${max} idle connections: a process may have ${limit} files open.`);
  return Math.min(wanted, max);
}
