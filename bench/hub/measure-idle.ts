import { median, round } from '../support/load.ts';
import { type Load, say, startServer } from './processes.ts';

const kinds = ['ws', 'signalr', 'socket.io'] as const;
type Kind = (typeof kinds)[number];

/**
 * Keeps V8's room for young objects at its least. As shipped it grows while connections come, by tens of megabytes once and
 * for all, and its pages stay: without them only what the connections keep is left.
 */
const smallYoung = ['--max-semi-space-size=1'];

/** What `count` connections that only stand there cost after collecting garbage, beyond an empty server. */
export async function measureIdle(load: Load, count: number, turns: number) {
  const shipped = await measure(load, count, turns, []);
  const kept = await measure(load, count, 1, smallYoung);
  return {
    idleMemoryVsWs: round(shipped.rss('signalr') / shipped.rss('ws')),
    idleMemoryVsSocketIo: round(shipped.rss('signalr') / shipped.rss('socket.io')),
    idleKeptVsWs: round(kept.rss('signalr') / kept.rss('ws')),
    idleKeptVsSocketIo: round(kept.rss('signalr') / kept.rss('socket.io')),
    heapPerIdleKb: round(shipped.heap('signalr')),
  };
}

async function measure(load: Load, count: number, turns: number, flags: readonly string[]) {
  const rss: Record<Kind, number[]> = { ws: [], signalr: [], 'socket.io': [] };
  const heap: Record<Kind, number[]> = { ws: [], signalr: [], 'socket.io': [] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const kind of kinds) {
      const server = await startServer(kind, { flags });
      // The first ones load code that an empty server has not needed yet.
      await load.call('connect', kind, server.port, 2);
      await load.call('disconnect', kind);
      const empty = await server.call('memory');
      await load.call('connect', kind, server.port, count);
      const full = await server.call('memory');
      await load.call('disconnect', kind);
      await server.stop();
      rss[kind].push((full.rss - empty.rss) / count / 1_024);
      heap[kind].push((full.heapUsed - empty.heapUsed) / count / 1_024);
    }
  }
  const cell = (kind: Kind) => `${kind} ${round(median(rss[kind]))} (${round(median(heap[kind]))})`;
  const how = flags.length > 0 ? `with ${flags.join(' ')}` : 'as shipped';
  say(`${count} idle ${how}, KB of RSS (heap) per connection: ${kinds.map(cell).join(', ')}`);
  return { rss: (kind: Kind) => median(rss[kind]), heap: (kind: Kind) => median(heap[kind]) };
}
