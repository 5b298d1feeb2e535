import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import fastifyCookie from '@fastify/cookie';
import { allCalls } from '@roomside/contract/calls.ts';
import type { HubServer } from '@roomside/signalr';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import { deviceShare } from './features/auth/known-devices.ts';
import { served } from './features/calls.ts';
import { registerOutbox } from './features/notifications/outbox-page.ts';
import { registerSandbox } from './features/payments/sandbox-routes.ts';
import { registerStripeWebhooks } from './features/payments/stripe-webhooks.ts';
import type { Context } from './platform/context.ts';
import { onBehalfOf } from './platform/database/scope.ts';
import { CompressedText } from './platform/http/compression.ts';
import { mount } from './platform/http/mount.ts';
import { networksOf } from './platform/http/networks.ts';
import { onResponseEnd } from './platform/http/on-response-end.ts';
import { openApi } from './platform/http/openapi.ts';
import { sendProblem } from './platform/http/problem.ts';
import type { trustedHops } from './platform/http/proxies.ts';
import { addSecurityHeaders, isFromOwnMachine, securityHeaders } from './platform/http/security.ts';
import { serveWeb } from './platform/http/static-files.ts';
import { limitBodyTime } from './platform/http/upload.ts';
import { healthPaths } from './platform/operations/health.ts';
import type { Tracing } from './platform/operations/spans.ts';
import { Refusal } from './platform/refusal.ts';
import type { Settings } from './platform/settings.ts';

interface HttpParts {
  readonly context: Context;
  readonly hubs: HubServer;
  readonly server: http.Server;
  readonly isTrusted: ReturnType<typeof trustedHops>;
  /** Null = no spans are sent. */
  readonly tracing: Tracing | null;
  /** The folder of the built web; undefined = it is not served. */
  readonly webFolder: string | undefined;
}

/** Builds the routes of HTTP: the calls, the web, what describes and watches the server. The hub shares the port. */
export async function buildHttp(parts: HttpParts): Promise<FastifyInstance> {
  const { context, hubs, server, isTrusted, tracing, webFolder } = parts;
  const { publicUrl, log, demo } = context;
  const headers = securityHeaders(publicUrl);
  const app: FastifyInstance = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 512 * 1024,
    trustProxy: isTrusted,
    routerOptions: { ignoreTrailingSlash: true },
    // Calls are validated by their own schemas. Fastify's compilers would take 6 MB of memory.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
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
  tracing?.watchRequests(app);
  app.addHook('onRequest', addSecurityHeaders(headers));
  onResponseEnd(app, ({ id, method, routeOptions }, reply, isAborted) => {
    const route = routeOptions.url ?? '(none)';
    if (healthPaths.has(route)) return;
    const response = {
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(isAborted && { aborted: true }),
    };
    log.info({ id, method, route, ...response }, 'request');
  });
  // The database turns and password hashes of a request count for its known device or its network; `mount` counts those of a sign-in for
  // its caller. After the body was read, whose events belong to no request.
  app.addHook('preHandler', (request, _reply, done) => {
    const network = { group: 'unauthenticated', member: networksOf(request.ip).customer };
    onBehalfOf(deviceShare(context, request) ?? network, done);
  });
  await app.register(fastifyCookie);
  for (const handler of served) mount(app, context, handler);
  registerSandbox(app, context);
  registerStripeWebhooks(app, context);
  // Made with the first request: it takes memory that most instances never need.
  let description: CompressedText | undefined;
  app.get('/api/openapi.json', async (request, reply) => {
    description ??= new CompressedText(JSON.stringify(openApi(allCalls, publicUrl)));
    return reply
      .type('application/json')
      .header('cache-control', 'no-cache')
      .send(await description.for(request, reply));
  });
  if (demo) {
    registerOutbox(app, context);
    // The page asks for this address, and opens in the demo only.
    app.get('/dev/design', (_request, reply) => reply.redirect('/#/dev/design'));
  }
  if (webFolder) await serveWeb(app, webFolder, publicUrl);
  return app;
}

/** Creates the server on which HTTP and the hub listen: with TLS where a certificate is given. */
export function createHttpServer(settings: Settings): http.Server {
  // Node refuses slow and oversized request headers. Idle connections are kept longer than by common proxies (60 s): otherwise a proxy
  // sends requests on a connection that is being closed, and answers 502.
  const limits = { headersTimeout: 15_000, maxHeaderSize: 16_384, keepAliveTimeout: 72_000 };
  if (settings.TLS_CERT === null || settings.TLS_KEY === null) return limitBodyTime(http.createServer(limits));
  const files = { cert: fs.readFileSync(settings.TLS_CERT), key: fs.readFileSync(settings.TLS_KEY) };
  return limitBodyTime(https.createServer({ ...limits, ...files }));
}

function refuseSchema(): never {
  throw new Error('Routes have no schemas of Fastify: a call is validated by its contract.');
}

function refuseHost(response: http.ServerResponse): void {
  response.writeHead(421, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(JSON.stringify(new Refusal('wrong-host').toProblem()));
}
