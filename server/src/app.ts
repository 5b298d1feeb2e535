import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type Backplane, createHubServer } from '@roomside/signalr';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type pg from 'pg';
import { signUpsPerMinute } from './features/auth/sign-up.ts';
import { jobHandlers } from './features/jobs.ts';
import { createTransports } from './features/notifications/transports.ts';
import { refusalReaders } from './features/refusal-readers.ts';
import { endInstance, startInstance } from './features/room/heartbeat.ts';
import { createMessagingHub, createPush } from './features/room/messaging-hub.ts';
import { RoomService } from './features/room/room-service.ts';
import { SignInWatch } from './features/room/sign-in-watch.ts';
import { buildHttp, createHttpServer } from './http-server.ts';
import { openBackplane } from './platform/backplane.ts';
import { blobKeys } from './platform/blob-keys.ts';
import { sealedBlobs } from './platform/blobs.ts';
import type { Clock } from './platform/clock.ts';
import type { Context } from './platform/context.ts';
import { openDatabase } from './platform/database/database.ts';
import { clientAddress, trustedHops } from './platform/http/proxies.ts';
import { type JobTimes, startJobs } from './platform/jobs.ts';
import { openKeys } from './platform/keys.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';
import { registerHealth } from './platform/operations/health.ts';
import { createMetrics } from './platform/operations/metrics.ts';
import { type MetricsServer, serveMetrics } from './platform/operations/metrics-server.ts';
import { openTracing } from './platform/operations/tracing.ts';
import { watchDatabase } from './platform/operations/watch-database.ts';
import { type PasswordCost, Passwords } from './platform/passwords.ts';
import { RateLimit } from './platform/rate-limit.ts';
import { SecurityLog } from './platform/security-log.ts';
import { internalAddress, type Settings } from './platform/settings.ts';
import { startSchedules } from './schedules.ts';

export interface AppOptions {
  readonly settings: Settings;
  readonly publicUrl: string;
  readonly demo: boolean;
  /** SECRET_KEY, or the demo's key. */
  readonly secret: string;
  /** The application's connection, as app_user. */
  readonly database: pg.PoolConfig;
  /** The file of the audit log's anchors; absent in tests that do not need it. */
  readonly anchorFile?: string;
  /** The folder of the built web; absent in tests of the server alone. */
  readonly webFolder?: string;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  /** Test servers only: additional routes, no application checks, shorter times of the job queue, cheaper hashes, a shared backplane. */
  readonly test?: {
    readonly register?: (app: FastifyInstance, context: Context) => void;
    readonly skipChecks?: boolean;
    readonly jobTimes?: Partial<JobTimes>;
    readonly passwordCost?: PasswordCost;
    readonly backplane?: Backplane;
  };
}

export interface App {
  readonly context: Context;
  readonly fastify: FastifyInstance;
  /** Listens and returns the port. Port 0 takes a free one. */
  listen(host: string, port: number): Promise<number>;
  /** The port of METRICS_PORT while it listens; null without that setting. */
  metricsPort(): number | null;
  /** Asks hub connections to reconnect elsewhere, waits for running work, and closes everything. */
  close(): Promise<void>;
}

/** Clients reconnect simultaneously after a restart. A connection beyond the backlog waits for seconds (Node's default: 511). */
const backlog = 4_096;

/** Builds the server over a migrated database: HTTP, hub, jobs and repeated work. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { settings, clock, log, demo, publicUrl } = options;
  const db = openDatabase(options.database, (error) =>
    log.warn({ error: error.message }, 'an idle database connection broke'),
  );
  const keys = await openKeys(db, options.secret).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const instanceId = randomUUID();
  const tracing = await openTracing(process.env, { instanceId, log });

  const messaging = createMessagingHub(() => ({ context, rooms, watch }));
  const server = createHttpServer(settings);
  const isTrusted = trustedHops(settings);
  const backplane = options.test?.backplane ?? (await openBackplane(settings, log));
  const hubs = createHubServer({
    hubs: [messaging],
    backplane,
    address: () => {
      const listening = server.address() as AddressInfo | null;
      return listening ? internalAddress(settings, listening.port) : undefined;
    },
    cors: { origins: [publicUrl] },
    // Authenticating many connections of one user simultaneously would delay everybody's calls.
    admission: { userPerSecond: 20 },
    clientAddress: (request) => clientAddress(request, isTrusted),
    logger: log,
    clock: {
      now: clock.now,
      setInterval: (work, ms) => clock.every(ms, work),
      clearInterval: (stop) => (stop as () => void)(),
    },
  });
  const security = new SecurityLog(db, clock, log);
  const blobs = sealedBlobs(await openBlobFiles(settings), blobKeys({ db, keys, clock }));
  const control = hubs.of(messaging);
  const push = createPush(control);
  const passwords = new Passwords(options.test?.passwordCost);
  const signUpLimit = new RateLimit(signUpsPerMinute);
  const base = { settings, publicUrl, demo, clock, db, keys, passwords, signUpLimit, blobs, log, security, push };
  const transports = createTransports(settings, db, demo);
  const jobs = await startJobs({
    application: options.database,
    log,
    handlers: jobHandlers(base, transports, () => context.jobs),
    ...(options.test?.jobTimes && { times: options.test.jobTimes }),
  });
  const context: Context = { ...base, jobs, refusalReaders, skipChecks: options.test?.skipChecks ?? false };
  const rooms = new RoomService(context, control, instanceId);
  const watch = new SignInWatch(context, control);
  await startInstance(context, instanceId);

  const app = await buildHttp({ context, hubs, server, isTrusted, tracing, webFolder: options.webFolder });
  const watched = watchDatabase(options.database);
  registerHealth(app, { hubs, jobs, watched });
  const metrics = settings.METRICS_PORT === null ? null : await createMetrics({ app, db, hubs, jobs, watched, clock });
  let metricsServer: MetricsServer | null = null;
  options.test?.register?.(app, context);

  const stopSchedules = startSchedules({
    context,
    hubs,
    rooms,
    watch,
    instanceId,
    anchorFile: options.anchorFile,
  });

  return {
    context,
    fastify: app,
    async listen(host, port) {
      await app.listen({ host, port, backlog });
      if (metrics && settings.METRICS_PORT !== null) {
        const { METRICS_HOST, METRICS_PORT, METRICS_TOKEN } = settings;
        metricsServer = await serveMetrics(metrics, { host: METRICS_HOST, port: METRICS_PORT, token: METRICS_TOKEN });
      }
      return (server.address() as AddressInfo).port;
    },
    metricsPort: () => metricsServer?.port ?? null,
    async close() {
      await hubs.drain({ overMs: settings.DRAIN_SECONDS * 1000 });
      await hubs.close();
      await backplane.close();
      rooms.leaveTracker.close();
      await app.close();
      await stopSchedules();
      await jobs.stop();
      transports.close();
      await security.flush().catch(() => {});
      await endInstance(context, instanceId).catch(() => {});
      metricsServer?.close();
      await tracing?.close();
      await watched.close();
      await db.close();
    },
  };
}
