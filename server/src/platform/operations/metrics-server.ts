import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** Required as a bearer token; null = anyone who reaches the port may read. */
  readonly token: string | null;
}

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves `GET /metrics` on a port that only the operator's network reaches.
 *
 * @throws Error with one sentence when the port is taken
 */
export async function serveMetrics(
  metrics: Metrics,
  { host, port, token }: MetricsServerOptions,
): Promise<MetricsServer> {
  const server = http.createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    void respond(metrics, token, request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`METRICS_PORT ${port} cannot be used on ${host} (${code}).`, { cause: error });
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(
  metrics: Metrics,
  token: string | null,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (path !== '/metrics' || request.method !== 'GET') response.writeHead(404).end();
  else if (token !== null && !isBearer(request, token)) {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  } else {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
  }
}

/** Compares in constant time. */
function isBearer({ headers }: http.IncomingMessage, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${token}`));
}
