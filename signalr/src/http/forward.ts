import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { foreignInstance } from '../foreign-instance.ts';
import { texts } from '../protocol/texts.ts';
import type { Logger } from '../types.ts';
import type { Addresses } from './addresses.ts';
import type { Answer } from './answer.ts';

/** Says that a request has been forwarded once: it is not forwarded again. */
const hopHeader = 'x-signalr-forwarded';
/** A process that has not taken a connection for so long is gone, with its machine, ms. */
const connectMs = 5_000;
/** Longer than any poll and any gap between pings: a process that says nothing for so long hangs, ms. */
const silenceMs = 120_000;
const unknown: Answer = { status: 404, text: texts.idUnknown };

export function isForwarded({ headers }: IncomingMessage): boolean {
  return headers[hopHeader] !== undefined;
}

/**
 * Hands requests to the process that holds their connection, so that a balancer may send them anywhere (SPEC.md, F rules). A process
 * that is gone makes it 404: the client then connects anew.
 */
export class Forwarder {
  readonly #own: string;
  readonly #addresses: Addresses;
  readonly #logger: Logger;
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };

  constructor(own: string, addresses: Addresses, logger: Logger) {
    this.#own = own;
    this.#addresses = addresses;
    this.#logger = logger;
  }

  async forward(request: IncomingMessage, token: string, response: ServerResponse): Promise<Answer | undefined> {
    const onward = await this.#open(request, token);
    if (!onward) return unknown;
    return new Promise((resolve) => {
      onward.on('response', (answer) => {
        this.#reached(token);
        response.writeHead(answer.statusCode ?? 502, headersOf(answer));
        answer.pipe(response);
        // An event stream ends here when it ends there.
        answer.on('close', () => (answer.complete ? undefined : response.destroy()));
        resolve(undefined);
      });
      onward.on('error', (error) => {
        if (!response.destroyed) this.#failed(token, error);
        if (response.headersSent) response.destroy();
        resolve(unknown);
      });
      response.on('close', () => onward.destroy());
      request.pipe(onward);
    });
  }

  async forwardUpgrade(
    request: IncomingMessage,
    token: string,
    socket: Duplex,
    head: Buffer,
  ): Promise<Answer | undefined> {
    const onward = await this.#open(request, token);
    if (!onward) return unknown;
    return new Promise((resolve) => {
      onward.on('upgrade', (answer, other, otherHead) => {
        onward.setTimeout(0);
        this.#reached(token);
        const lines = [`HTTP/1.1 101 ${answer.statusMessage}`];
        for (let index = 0; index < answer.rawHeaders.length; index += 2)
          lines.push(`${answer.rawHeaders[index]}: ${answer.rawHeaders[index + 1]}`);
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
        if (otherHead.length > 0) socket.write(otherHead);
        if (head.length > 0) other.write(head);
        join(socket, other);
        resolve(undefined);
      });
      onward.on('response', (answer) => {
        const { statusCode: status = 502 } = answer;
        text(answer).then(
          (body) => resolve({ status, text: body }),
          () => resolve({ status }),
        );
      });
      onward.on('error', (error) => {
        if (!socket.destroyed) this.#failed(token, error);
        resolve(unknown);
      });
      socket.on('close', () => onward.destroy());
      onward.end();
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
    const onward = client.request(url, {
      method: request.method,
      path: request.url,
      // The proxies count as before: this hop takes the place of the last one.
      headers: { ...request.headers, [hopHeader]: '1' },
      agent: isUpgrade ? false : this.#agents[url.protocol as 'http:' | 'https:'],
      ...(!isUpgrade && { setHost: false }),
    });
    onward.once('socket', (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => onward.destroy(new Error('The other process cannot be reached.')), connectMs);
      const done = () => clearTimeout(late);
      socket.once('connect', done).once('close', done);
    });
    return onward.setTimeout(silenceMs, () => onward.destroy(new Error('The other process is silent.')));
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

/** Those that belong to one line only stay behind. */
function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...rest } = headers;
  return rest;
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}
