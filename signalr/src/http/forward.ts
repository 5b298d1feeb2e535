import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import type { Logger } from '../types.ts';
import type { NodeAddresses } from './node-addresses.ts';
import type { HttpReply } from './reply.ts';

/** Marks a forwarded request, which is not forwarded again. */
const hopHeader = 'x-signalr-forwarded';
/** The connect timeout to another node, ms. */
const connectMs = 5_000;
/** The idle timeout, ms; longer than any poll and any interval between pings. */
const silenceMs = 120_000;
const notFound: HttpReply = { status: 404, text: texts.idUnknown };

export function isForwarded({ headers }: IncomingMessage): boolean {
  return headers[hopHeader] !== undefined;
}

/**
 * Forwards requests to the node that holds their connection, so that no sticky sessions are needed (SPEC.md, F rules). When that node
 * is gone the reply is 404, and the client reconnects.
 */
export class Forwarder {
  readonly #own: string;
  readonly #addresses: NodeAddresses;
  readonly #logger: Logger;
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };

  constructor(own: string, addresses: NodeAddresses, logger: Logger) {
    this.#own = own;
    this.#addresses = addresses;
    this.#logger = logger;
  }

  async forward(request: IncomingMessage, token: string, response: ServerResponse): Promise<HttpReply | undefined> {
    const upstream = await this.#open(request, token);
    if (!upstream) return notFound;
    return new Promise((resolve) => {
      upstream.on('response', (incoming) => {
        this.#reached(token);
        response.writeHead(incoming.statusCode ?? 502, headersOf(incoming));
        incoming.pipe(response);
        // An event stream that is cut off there is cut off here.
        incoming.on('close', () => (incoming.complete ? undefined : response.destroy()));
        resolve(undefined);
      });
      upstream.on('error', (error) => {
        if (!response.destroyed) this.#failed(token, error);
        if (response.headersSent) response.destroy();
        resolve(notFound);
      });
      response.on('close', () => upstream.destroy());
      request.pipe(upstream);
    });
  }

  async forwardUpgrade(
    request: IncomingMessage,
    token: string,
    socket: Duplex,
    head: Buffer,
  ): Promise<HttpReply | undefined> {
    const upstream = await this.#open(request, token);
    if (!upstream) return notFound;
    return new Promise((resolve) => {
      upstream.on('upgrade', (incoming, other, otherHead) => {
        upstream.setTimeout(0);
        this.#reached(token);
        const lines = [`HTTP/1.1 101 ${incoming.statusMessage}`];
        for (let index = 0; index < incoming.rawHeaders.length; index += 2)
          lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`);
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
        if (otherHead.length > 0) socket.write(otherHead);
        if (head.length > 0) other.write(head);
        pipeBothWays(socket, other);
        resolve(undefined);
      });
      upstream.on('response', (incoming) => {
        const { statusCode: status = 502 } = incoming;
        text(incoming).then(
          (body) => resolve({ status, text: body }),
          () => resolve({ status }),
        );
      });
      upstream.on('error', (error) => {
        if (!socket.destroyed) this.#failed(token, error);
        resolve(notFound);
      });
      socket.on('close', () => upstream.destroy());
      upstream.end();
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #open(request: IncomingMessage, token: string): Promise<ClientRequest | undefined> {
    const instance = foreignInstance(token, this.#own);
    if (!instance || isForwarded(request)) return undefined;
    const address = await this.#addresses.of(instance);
    const url = URL.parse(address);
    if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
    const isUpgrade = request.headers.upgrade !== undefined;
    const client = url.protocol === 'https:' ? https : http;
    const upstream = client.request(url, {
      method: request.method,
      path: request.url,
      // Headers such as X-Forwarded-For are passed unchanged: this hop adds no entry.
      headers: { ...request.headers, [hopHeader]: '1' },
      agent: isUpgrade ? false : this.#agents[url.protocol as 'http:' | 'https:'],
      ...(!isUpgrade && { setHost: false }),
    });
    upstream.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => upstream.destroy(new Error('The other node cannot be reached.')), connectMs);
      const done = () => clearTimeout(timer);
      socket.once('connect', done).once('close', done);
    });
    return upstream.setTimeout(silenceMs, () => upstream.destroy(new Error('The other node does not respond.')));
  }

  #reached(token: string): void {
    this.#addresses.reached(foreignInstance(token, this.#own) ?? '');
  }

  #failed(token: string, error: Error): void {
    const instance = foreignInstance(token, this.#own) ?? '';
    this.#addresses.failed(instance);
    this.#logger.warn({ instance, reason: error.message }, 'could not forward');
  }
}

/** Returns the headers without hop-by-hop headers. */
function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...rest } = headers;
  return rest;
}

function pipeBothWays(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}
