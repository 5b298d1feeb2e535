import { setTimeout as pause } from 'node:timers/promises';
import { median, round } from '../support/load.ts';
import { type Load, type Server, say, startServer } from './processes.ts';

const kinds = ['ws', 'signalr', 'socket.io'] as const;
type Kind = (typeof kinds)[number];

/**
 * V8's young generation grows by tens of megabytes while thousands of clients connect. An idle process releases it when its last
 * collection is 100 s old, at the next check, which runs every 8 s.
 */
export const settleMs = 150_000;

/** Bytes per connection in addition to an empty server: right after all have connected, and after V8 has released unused memory. */
interface Sample {
  readonly initial: number;
  readonly settled: number;
  readonly heap: number;
}

/** Measures the memory of `count` idle connections. */
export async function measureIdle(load: Load, count: number, turns: number, settle: number) {
  const samples: Record<Kind, Sample[]> = { ws: [], signalr: [], 'socket.io': [] };
  for (let turn = 0; turn < turns; turn += 1) {
    const full: { kind: Kind; server: Server; empty: number; initial: number; heap: number }[] = [];
    for (const kind of kinds) {
      const server = await startServer(kind);
      // The first connections load code that an empty server has not used.
      await load.call('connect', kind, server.port, 2);
      await load.call('disconnect', kind);
      const empty = await server.call('memory');
      await load.call('connect', kind, server.port, count);
      const { rss, heapUsed } = await server.call('memory');
      full.push({ kind, server, empty: empty.rss, initial: rss - empty.rss, heap: heapUsed - empty.heapUsed });
    }
    await pause(settle);
    for (const { kind, server, empty, initial, heap } of full) {
      const { rss } = await server.call('memory');
      samples[kind].push({ initial: initial / count, settled: (rss - empty) / count, heap: heap / count });
      await load.call('disconnect', kind);
      await server.stop();
    }
  }
  const of = (kind: Kind, what: keyof Sample) => median(samples[kind].map((sample) => sample[what])) / 1_024;
  const cell = (kind: Kind) =>
    `${kind} ${(['settled', 'initial', 'heap'] as const).map((what) => round(of(kind, what))).join(' / ')}`;
  say(`${count} idle, KB of RSS per connection settled / initial / heap: ${kinds.map(cell).join(', ')}`);
  return {
    idleMemoryVsWs: round(of('signalr', 'settled') / of('ws', 'settled')),
    idleMemoryVsSocketIo: round(of('signalr', 'settled') / of('socket.io', 'settled')),
    initialMemoryVsWs: round(of('signalr', 'initial') / of('ws', 'initial')),
    initialMemoryVsSocketIo: round(of('signalr', 'initial') / of('socket.io', 'initial')),
    heapPerIdleKb: round(of('signalr', 'heap')),
  };
}
