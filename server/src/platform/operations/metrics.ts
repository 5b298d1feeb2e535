import type { HubServer } from '@roomside/signalr';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { onResponseEnd } from '../http/on-response-end.ts';
import type { RunningJobs } from '../jobs.ts';
import type { Figures, WatchDatabase } from './watch-database.ts';

interface MetricParts {
  readonly app: FastifyInstance;
  readonly db: Pick<Database, 'load'>;
  readonly hubs: Pick<HubServer, 'stats'>;
  readonly jobs: Pick<RunningJobs, 'queues'>;
  readonly watched: Pick<WatchDatabase, 'figures'>;
  readonly clock: Clock;
}

export interface Metrics {
  readonly contentType: string;
  /** Returns the current values in Prometheus' text format. Does not throw when the database is down. */
  text(): Promise<string>;
}

type Labels = Readonly<Record<string, string>>;
type SetValue = (value: number, labels?: Labels) => void;

/** Registers a metric and returns the function that sets its value for some labels. */
type AddMetric = (name: string, help: string, labelNames?: readonly string[]) => SetValue;

/** From 5 ms to 10 s. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The states of the queue's jobs by the state in the metric. */
const jobStates: Readonly<Record<string, readonly string[]>> = {
  queued: ['created', 'retry'],
  active: ['active'],
  failed: ['failed'],
};

/** Counters of a hub: the name in its statistics, the metric's name and description. */
const hubCounters = [
  ['invocations', 'hub_invocations_total', 'Calls from clients.'],
  ['failures', 'hub_failures_total', 'Calls from clients that failed.'],
  ['protocolErrors', 'hub_protocol_errors_total', 'Connections that violated the protocol.'],
  ['handshakeTimeouts', 'hub_handshake_timeouts_total', 'Transports without a handshake: a proxy may buffer them.'],
  ['slow', 'hub_slow_clients_total', 'Clients that were closed because they read too slowly.'],
  ['resumed', 'hub_resumed_total', 'Connections that were resumed after a lost transport.'],
  ['replayed', 'hub_replayed_messages_total', 'Messages that were sent again to resumed connections.'],
  ['dropped', 'hub_dropped_messages_total', 'Messages that could not be delivered.'],
] as const;

/**
 * Begins to count requests. Labels are route templates, states, and names of hubs and queues, never ids or anything of a
 * person. Loads prom-client.
 */
export async function createMetrics(parts: MetricParts): Promise<Metrics> {
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const durations = new client.Histogram({
    name: 'roomside_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route template and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: durationBuckets,
    registers: [registry],
  });
  onResponseEnd(parts.app, ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? '(none)';
    durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const addGauge: AddMetric = (name, help, labelNames = []) => {
    const metric = new client.Gauge({ name: `roomside_${name}`, help, labelNames, registers: [registry] });
    return (value, labels = {}) => metric.set(labels, value);
  };
  const addCounter: AddMetric = (name, help, labelNames = []) => {
    const metric = new client.Counter({ name: `roomside_${name}`, help, labelNames, registers: [registry] });
    return (value, labels = {}) => {
      metric.remove(labels);
      metric.inc(labels, value);
    };
  };
  const updates = [
    watchHubs(addGauge, addCounter, parts.hubs),
    watchPool(addGauge, parts.db),
    watchQueues(addGauge, parts),
  ];
  return {
    contentType: registry.contentType,
    async text() {
      for (const update of updates) await update();
      return registry.metrics();
    },
  };
}

type Update = () => void | Promise<void>;

function watchHubs(addGauge: AddMetric, addCounter: AddMetric, hubs: MetricParts['hubs']): Update {
  const setConnections = addGauge('hub_connections', 'Hub connections by transport.', ['hub', 'transport']);
  const setUsers = addGauge('hub_users', 'Users with a hub connection.', ['hub']);
  const setWaiting = addGauge('hub_waiting', 'Hub requests that wait for admission.');
  const setBackplane = addGauge('backplane_up', '1 while the instances of the installation are connected.');
  const counters = hubCounters.map(([key, name, help]) => ({ key, set: addCounter(name, help, ['hub']) }));
  return () => {
    const stats = hubs.stats();
    setWaiting(stats.waiting);
    setBackplane(stats.backplane === 'up' ? 1 : 0);
    for (const [hub, values] of Object.entries(stats.hubs)) {
      for (const [transport, count] of Object.entries(values.transports)) setConnections(count, { hub, transport });
      setUsers(values.users, { hub });
      for (const { key, set } of counters) set(values[key], { hub });
    }
  };
}

function watchPool(addGauge: AddMetric, db: MetricParts['db']): Update {
  const setConnections = addGauge('database_connections', 'Connections of the pool by state.', ['state']);
  const setWaiting = addGauge('database_waiting', 'Transactions that wait for a connection.');
  return () => {
    const { open, idle, waiting } = db.load();
    setConnections(open - idle, { state: 'used' });
    setConnections(idle, { state: 'idle' });
    setWaiting(waiting);
  };
}

/** While the database is down, the values are those of the last time, and `roomside_database_up` is 0. */
function watchQueues(addGauge: AddMetric, { jobs, watched, clock }: MetricParts): Update {
  const setUp = addGauge('database_up', '1 while the database responds.');
  const setJobs = addGauge('jobs', 'Jobs by queue and state; failed ones are kept for a day.', ['queue', 'state']);
  const setUndelivered = addGauge('notifications_undelivered', 'Notifications that are due and were not sent.');
  const setOldest = addGauge('notifications_oldest_seconds', 'How long the oldest of them has been due.');
  const update = ({ jobs: counts, undelivered, oldestAt }: Figures) => {
    for (const queue of jobs.queues) {
      for (const [state, names] of Object.entries(jobStates)) {
        const counted = counts.filter((one) => one.queue === queue && names.includes(one.state));
        setJobs(
          counted.reduce((sum, { count }) => sum + count, 0),
          { queue, state },
        );
      }
    }
    setUndelivered(undelivered);
    setOldest(oldestAt === null ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000));
  };
  return async () => {
    const figures = await watched.figures(clock.now()).catch(() => null);
    setUp(figures ? 1 : 0);
    if (figures) update(figures);
  };
}
