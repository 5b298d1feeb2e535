import { setTimeout as pause } from 'node:timers/promises';
import { median, round } from '../support/load.ts';
import { type Load, type Server, say, startServer } from './processes.ts';

const kinds = ['ws', 'signalr', 'socket.io'] as const;
type Kind = (typeof kinds)[number];

/**
 * V8's room for young objects grows by tens of megabytes while thousands connect. A process that then stands idle gives it back,
 * when its last collection is 100 s old and the next look, every 8 s, finds it so.
 */
export const settleMs = 150_000;

/** Bytes beyond an empty server, by connection: right after all have come, and when V8 has given back what it no longer needs. */
interface Sample {
  readonly atOnce: number;
  readonly settled: number;
  readonly heap: number;
}

/** What `count` connections that only stand there cost. */
export async function measureIdle(load: Load, count: number, turns: number, settle: number) {
  const samples: Record<Kind, Sample[]> = { ws: [], signalr: [], 'socket.io': [] };
  for (let turn = 0; turn < turns; turn += 1) {
    const full: { kind: Kind; server: Server; empty: number; atOnce: number; heap: number }[] = [];
    for (const kind of kinds) {
      const server = await startServer(kind);
      // The first ones load code that an empty server has not needed yet.
      await load.call('connect', kind, server.port, 2);
      await load.call('disconnect', kind);
      const empty = await server.call('memory');
      await load.call('connect', kind, server.port, count);
      const { rss, heapUsed } = await server.call('memory');
      full.push({ kind, server, empty: empty.rss, atOnce: rss - empty.rss, heap: heapUsed - empty.heapUsed });
    }
    await pause(settle);
    for (const { kind, server, empty, atOnce, heap } of full) {
      const { rss } = await server.call('memory');
      samples[kind].push({ atOnce: atOnce / count, settled: (rss - empty) / count, heap: heap / count });
      await load.call('disconnect', kind);
      await server.stop();
    }
  }
  const of = (kind: Kind, what: keyof Sample) => median(samples[kind].map((sample) => sample[what])) / 1_024;
  const cell = (kind: Kind) =>
    `${kind} ${(['settled', 'atOnce', 'heap'] as const).map((what) => round(of(kind, what))).join(' / ')}`;
  say(`${count} idle, KB of RSS per connection settled / at once / of heap: ${kinds.map(cell).join(', ')}`);
  return {
    idleMemoryVsWs: round(of('signalr', 'settled') / of('ws', 'settled')),
    idleMemoryVsSocketIo: round(of('signalr', 'settled') / of('socket.io', 'settled')),
    memoryAtOnceVsWs: round(of('signalr', 'atOnce') / of('ws', 'atOnce')),
    memoryAtOnceVsSocketIo: round(of('signalr', 'atOnce') / of('socket.io', 'atOnce')),
    heapPerIdleKb: round(of('signalr', 'heap')),
  };
}
