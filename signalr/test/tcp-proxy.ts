import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy between client and server with configurable faults. */
export interface TcpProxy {
  readonly url: string;
  /** The number of connections so far. */
  readonly count: number;
  /** The number of resets. */
  readonly resets: number;
  /** Resets the open connections. */
  reset(): void;
  /** Resets the frozen connections. Those that were opened after them stay. */
  resetFrozen(): void;
  /** Drops all data of the open connections in both directions without closing them; new connections work. */
  freeze(): void;
  /** Resets after this many more bytes to the client, unless the client reconnects before. */
  resetAfter(bytes: number): void;
  delayMs: number;
  /** The number of bytes to the client after which each new connection is reset. */
  eachBytes: number;
}

/** Starts a TCP proxy to a server. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { port } = new URL(target);
  const pairs = new Set<{ client: Socket; server: Socket; frozen: boolean }>();
  let left = Number.POSITIVE_INFINITY;
  let count = 0;
  let resets = 0;
  const listener = net.createServer((client) => {
    count++;
    // A limit for an older connection must not apply to the client's reconnect.
    left = self.eachBytes;
    const server = net.connect(Number(port), '127.0.0.1');
    const pair = { client, server, frozen: false };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        if (!pair.frozen) for (const other of [client, server]) other.destroy();
      });
    }
    const pass = (to: Socket, data: Buffer) => {
      if (pair.frozen) return;
      if (self.delayMs > 0) setTimeout(() => to.write(data), self.delayMs);
      else to.write(data);
    };
    client.on('data', (data) => pass(server, data));
    server.on('data', (data) => {
      if (data.length <= left) {
        left -= data.length;
        return pass(client, data);
      }
      const part = data.subarray(0, left);
      left = Number.POSITIVE_INFINITY;
      resets++;
      client.write(part, () => client.resetAndDestroy());
      server.resetAndDestroy();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const resetAll = (chosen: Iterable<{ client: Socket; server: Socket }>) => {
    resets++;
    for (const { client, server } of chosen) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  };
  const reset = () => resetAll(pairs);
  onTestFinished(() => {
    reset();
    listener.close();
  });
  const self: TcpProxy = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get count() {
      return count;
    },
    get resets() {
      return resets;
    },
    reset,
    resetFrozen: () => resetAll([...pairs].filter(({ frozen }) => frozen)),
    freeze() {
      for (const pair of pairs) pair.frozen = true;
    },
    resetAfter(bytes) {
      left = bytes;
    },
    delayMs: 0,
    eachBytes: Number.POSITIVE_INFINITY,
  };
  return self;
}

/** A load balancer that sends every request and every upgrade to the next of its servers. */
export async function balancer(targets: () => readonly string[]): Promise<string> {
  let turn = 0;
  const options = (request: http.IncomingMessage) => {
    const all = targets();
    const target = new URL(all[turn++ % all.length] as string);
    return {
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    };
  };
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const onward = http.request(options(request), (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('close', () => (answer.complete ? undefined : response.destroy()));
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', (request, socket, head) => {
    const onward = http.request(options(request));
    onward.on('upgrade', (answer, other, first) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(first);
      other.write(head);
      socket.pipe(other).pipe(socket);
      for (const [one, two] of [
        [socket, other],
        [other, socket],
      ] as const)
        one.on('close', () => two.destroy()).on('error', () => two.destroy());
    });
    onward.on('response', (answer) => {
      socket.end(
        `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      answer.resume();
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    onward.end();
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
