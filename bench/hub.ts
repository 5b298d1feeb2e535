import { readFileSync } from 'node:fs';
import { pinned } from './hub/children.ts';
import { measureIdle, settleMs } from './hub/measure-idle.ts';
import { measureStorm } from './hub/measure-storm.ts';
import { measureTraffic } from './hub/measure-traffic.ts';
import { say, startLoad } from './hub/processes.ts';

/**
 * Row 8 of the quality figures: the SignalR server against `ws` that hands frames on unread, `ws` with JSON parsed and
 * serialised, and socket.io. `count` connections in rooms of two send 1,024 bytes of JSON; then five times as many are idle,
 * and come back to a server that was killed. Fewer than 1,000 make a short run of small meaning. statefulCpuPercent is null
 * while the server does not grant stateful reconnect.
 */
export async function hub(count = 1_000): Promise<Record<string, number | null>> {
  const connections = count - (count % 2);
  const long = connections >= 1_000;
  const turns = long
    ? { saturated: { turns: 11, windowMs: 1_000 }, paced: { turns: 5, windowMs: 10_000 } }
    : { saturated: { turns: 3, windowMs: 300 }, paced: { turns: 3, windowMs: 300 } };
  const [idleTurns, settle] = long ? [2, settleMs] : [1, 1_000];
  const idle = allowed(connections * 5);
  say(`${connections} connections; ${pinned ? 'server and clients a core each' : 'not pinned to cores'}`);
  const load = startLoad();
  const traffic = await measureTraffic(load, connections, turns);
  const memory = await measureIdle(load, idle, idleTurns, settle);
  const storm = await measureStorm(load, idle);
  await load.stop();
  return { connections, idle, ...traffic, ...memory, ...storm };
}

/** As many connections as the limit of open files lets a process have, to three servers at once. */
function allowed(wanted: number): number {
  const limit = Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024);
  const most = Math.floor((limit - 200) / 6) * 2;
  if (most < wanted) say(`Only ${most} idle connections: a process may have ${limit} files open.`);
  return Math.min(wanted, most);
}
