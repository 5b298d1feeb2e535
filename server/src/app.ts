import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import { allCalls } from '@roomside/contract/calls.ts';
import { createHubServer } from '@roomside/signalr';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type pg from 'pg';
import { served } from './features/calls.ts';
import { jobHandlers } from './features/jobs.ts';
import { queueDueNudges, queueDueReminders } from './features/notifications/due-notices.ts';
import { releaseHeld } from './features/notifications/new-time.ts';
import { registerOutbox } from './features/notifications/outbox-page.ts';
import { refusalReaders } from './features/refusal-readers.ts';
import {
  announceSilentArrivals,
  endInstance,
  recordHeartbeat,
  startInstance,
  sweepRooms,
} from './features/room/heartbeat.ts';
import { createMessagingHub, createPush } from './features/room/messaging-hub.ts';
import { RoomService } from './features/room/room-service.ts';
import { SignInWatch } from './features/room/sign-in-watch.ts';
import { cleanUp } from './features/upkeep/clean-up.ts';
import { failLostNotifications } from './features/upkeep/fail-lost-notifications.ts';
import { companiesToReseal, reseal } from './features/upkeep/reseal.ts';
import { watchAudit } from './features/upkeep/watch-audit.ts';
import { openAnchors } from './platform/audit-anchors.ts';
import { sealAudit } from './platform/audit-chain.ts';
import { internalAddress, openBackplane } from './platform/backplane.ts';
import { blobKeys } from './platform/blob-keys.ts';
import { diskBlobs } from './platform/blobs.ts';
import type { Clock } from './platform/clock.ts';
import type { Context } from './platform/context.ts';
import { blobFolder } from './platform/data-folder.ts';
import { openDatabase } from './platform/database/database.ts';
import { compressed } from './platform/http/compression.ts';
import { mount } from './platform/http/mount.ts';
import { openApi } from './platform/http/openapi.ts';
import { sendProblem } from './platform/http/problem.ts';
import { clientAddress, trustedHops } from './platform/http/proxies.ts';
import { addSecurityHeaders, isFromOwnMachine, securityHeaders } from './platform/http/security.ts';
import { serveWeb } from './platform/http/static-files.ts';
import { type JobTimes, startJobs } from './platform/jobs.ts';
import { openKeys } from './platform/keys.ts';
import { type PasswordCost, Passwords } from './platform/passwords.ts';
import { Refusal } from './platform/refusal.ts';
import { repeat } from './platform/repeat.ts';
import { SecurityLog } from './platform/security-log.ts';
import type { Settings } from './platform/settings.ts';
import { forgetAttempts } from './platform/throttle.ts';

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
  /** Test servers only: additional routes, no application checks, shorter times of the job queue, cheaper hashes. */
  readonly test?: {
    readonly register?: (app: FastifyInstance) => void;
    readonly skipChecks?: boolean;
    readonly jobTimes?: Partial<JobTimes>;
    readonly passwordCost?: PasswordCost;
  };
}

export interface App {
  readonly context: Context;
  readonly fastify: FastifyInstance;
  /** Listens and returns the port. Port 0 takes a free one. */
  listen(host: string, port: number): Promise<number>;
  /** Asks hub connections to reconnect elsewhere, waits for running work, and closes everything. */
  close(): Promise<void>;
}

/** Intervals of repeated work, ms. */
const intervalMs = {
  heartbeat: 5_000,
  sweep: 5_000,
  watch: 700,
  announce: 1_000,
  seal: 700,
  refusals: 1_000,
  anchor: 60_000,
  check: 60_000,
  lost: 60_000,
  clean: 3_600_000,
  reseal: 3_600_000,
  due: 10_000,
  held: 1_000,
  figures: 60_000,
};

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

  const messaging = createMessagingHub(() => ({ context, rooms, watch }));
  const server = createServer(settings);
  const isTrusted = trustedHops(settings);
  const backplane = await openBackplane(settings, log);
  const hubs = createHubServer({
    hubs: [messaging],
    backplane,
    address: () => {
      const listening = server.address() as AddressInfo | null;
      return listening ? internalAddress(settings, settings.TLS_CERT ? 'https' : 'http', listening.port) : undefined;
    },
    cors: { origins: [publicUrl] },
    clientAddress: (request) => clientAddress(request, isTrusted),
    logger: log,
    clock: {
      now: clock.now,
      setInterval: (work, ms) => clock.every(ms, work),
      clearInterval: (stop) => (stop as () => void)(),
    },
  });
  const security = new SecurityLog(db, clock, log);
  const blobs = diskBlobs(blobFolder(settings), blobKeys({ db, keys, clock }));
  const control = hubs.of(messaging);
  const push = createPush(control);
  const passwords = new Passwords(options.test?.passwordCost);
  const base = { settings, publicUrl, demo, clock, db, keys, passwords, blobs, log, security, push };
  const jobs = await startJobs({
    application: options.database,
    log,
    handlers: jobHandlers(base, () => context.jobs),
    ...(options.test?.jobTimes && { times: options.test.jobTimes }),
  });
  const context: Context = { ...base, jobs, refusalReaders, skipChecks: options.test?.skipChecks ?? false };
  const rooms = new RoomService(context, control, instanceId);
  const watch = new SignInWatch(context, control);
  await startInstance(context, instanceId);

  const headers = securityHeaders(publicUrl);
  const app: FastifyInstance = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 512 * 1024,
    trustProxy: isTrusted,
    routerOptions: { ignoreTrailingSlash: true },
    // The hub and Fastify share one port. A demo refuses requests from other machines first.
    serverFactory: (handler) => {
      server.on('request', (request, response) => {
        if (demo && !isFromOwnMachine(request)) refuseHost(response);
        else if (!hubs.request(request, response)) handler(request, response);
      });
      server.on('upgrade', (request, socket, head) => {
        if (demo && !isFromOwnMachine(request)) socket.destroy();
        else if (!hubs.upgrade(request, socket, head)) socket.destroy();
      });
      return server;
    },
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem(new Refusal('not-found'), request, reply));
  app.addHook('onRequest', addSecurityHeaders(headers));
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    if (route !== '/ping' && route !== '/health')
      log.info(
        { id: request.id, method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    done();
  });
  await app.register(fastifyCookie);
  for (const handler of served) mount(app, context, handler);
  app.get('/ping', async (_request, reply) => {
    await db.ping();
    return reply.header('cache-control', 'no-store').send({ ok: true });
  });
  app.get('/health', async (_request, reply) => {
    const { draining, backplane: backplaneState } = hubs.stats();
    const isDatabaseUp = await db.ping().then(
      () => true,
      () => false,
    );
    const health = { database: isDatabaseUp ? 'up' : 'down', backplane: backplaneState, draining };
    return reply
      .code(isDatabaseUp && !draining ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(health);
  });
  const description = JSON.stringify(openApi(allCalls, publicUrl));
  app.get('/api/openapi.json', async (request, reply) =>
    reply
      .type('application/json')
      .header('cache-control', 'no-cache')
      .send(await compressed(request, reply, description)),
  );
  if (demo) registerOutbox(app, context);
  if (options.webFolder) await serveWeb(app, options.webFolder);
  options.test?.register?.(app);

  const stopping = new AbortController();
  const auditWatch = watchAudit(context, options.anchorFile === undefined ? null : openAnchors(options.anchorFile));
  const repeating = [
    repeat(clock, log, 'the heartbeat', intervalMs.heartbeat, () =>
      recordHeartbeat(context, instanceId).then(() => rooms.reconnectLost()),
    ),
    repeat(clock, log, 'the sweep of rooms', intervalMs.sweep, async () => {
      await rooms.leaveTracker.retryUnfinished();
      await sweepRooms(context);
    }),
    repeat(clock, log, 'the statistics of the hub', intervalMs.figures, async () => log.info(hubs.stats(), 'hub')),
    repeat(clock, log, 'the check of sign-ins', intervalMs.watch, () => watch.closeRevoked()),
    repeat(clock, log, 'the announcement of arrivals', intervalMs.announce, () => announceSilentArrivals(context)),
    repeat(clock, log, 'the search for due reminders', intervalMs.due, async () => {
      await queueDueReminders(context);
      await queueDueNudges(context);
    }),
    repeat(clock, log, 'the release of held notifications', intervalMs.held, () => releaseHeld(context)),
    repeat(clock, log, 'the writing of refusals', intervalMs.refusals, () => security.flush()),
    repeat(clock, log, 'the sealing of the audit log', intervalMs.seal, () => sealAudit(context)),
    repeat(clock, log, 'the anchor of the audit log', intervalMs.anchor, () => auditWatch.anchor()),
    // Not immediately at the start, when all clients reconnect, since checking a long log takes time.
    repeat(clock, log, 'the check of the audit log', intervalMs.check, () => auditWatch.checkWhenDue()),
    repeat(clock, log, 'the search for lost notifications', intervalMs.lost, () => failLostNotifications(context)),
    repeat(clock, log, 'the deletion of old attempts', intervalMs.lost, () => forgetAttempts(context)),
    repeat(clock, log, 'the change of keys', intervalMs.reseal, async () => {
      for (const companyId of await companiesToReseal(context)) await reseal(context, companyId, stopping.signal);
    }),
    repeat(clock, log, 'the clean-up', intervalMs.clean, () => cleanUp(context), { immediately: true }),
  ];

  return {
    context,
    fastify: app,
    async listen(host, port) {
      await app.listen({ host, port, backlog });
      return (server.address() as AddressInfo).port;
    },
    async close() {
      await hubs.drain({ overMs: settings.DRAIN_SECONDS * 1000 });
      await hubs.close();
      await backplane.close();
      rooms.leaveTracker.close();
      await app.close();
      stopping.abort();
      auditWatch.stop();
      await Promise.all(repeating.map((stop) => stop()));
      await jobs.stop();
      await security.flush().catch(() => {});
      await endInstance(context, instanceId).catch(() => {});
      await db.close();
    },
  };
}

function createServer(settings: Settings): http.Server {
  // Node refuses slow and oversized request headers.
  const limits = { headersTimeout: 15_000, requestTimeout: 60_000, maxHeaderSize: 16_384 };
  if (settings.TLS_CERT === null || settings.TLS_KEY === null) return http.createServer(limits);
  const files = { cert: fs.readFileSync(settings.TLS_CERT), key: fs.readFileSync(settings.TLS_KEY) };
  return https.createServer({ ...limits, ...files });
}

function refuseHost(response: http.ServerResponse): void {
  response.writeHead(421, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(JSON.stringify(new Refusal('wrong-host').toProblem()));
}
