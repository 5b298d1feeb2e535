import { serveCalls } from './children.ts';
import type { ClientKind } from './kinds.ts';
import { Storm } from './storm.ts';
import { Traffic } from './traffic.ts';

/** The process of all clients: the traffic by kind. */
const traffics = new Map<ClientKind, Traffic>();
let storm: Storm | undefined;

function of(kind: ClientKind): Traffic {
  const traffic = traffics.get(kind);
  if (!traffic) throw new Error(`${kind} is not connected.`);
  return traffic;
}

const methods = {
  /** Resolves to whether stateful reconnect was granted. */
  connect(kind: ClientKind, port: number, count: number): Promise<boolean> {
    const traffic = new Traffic(kind);
    traffics.set(kind, traffic);
    return traffic.connect(port, count);
  },
  saturate: (kind: ClientKind) => of(kind).saturate(),
  pace: (kind: ClientKind, perSecond: number) => of(kind).pace(perSecond),
  quiet: (kind: ClientKind) => of(kind).quiet(),
  disconnect(kind: ClientKind): void {
    of(kind).disconnect();
    traffics.delete(kind);
  },

  /** Starts a measurement window. */
  watch(kind: ClientKind): void {
    of(kind).watch();
  },
  /** The latencies of the window's messages, ms; and the CPU time of this process so far, microseconds. */
  latencies: (kind: ClientKind) => of(kind).latencies(),
  cpu: () => process.cpuUsage().user + process.cpuUsage().system,

  startStorm(port: number, count: number, stateful: boolean): Promise<void> {
    storm = new Storm(port, count, stateful);
    return storm.start();
  },
  stormBack: () => storm?.back(),
  endStorm: () => storm?.end(),
};
export type LoadMethods = typeof methods;

serveCalls(methods);
