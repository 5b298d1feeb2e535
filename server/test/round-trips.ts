import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';

/** A proxy between a server and its database that counts round trips. */
export interface RoundTripCounter {
  /** The connection for the server. */
  readonly connection: pg.ClientConfig;
  /** Round trips so far. */
  count(): number;
  stop(): void;
}

/**
 * Starts a proxy. It counts client data that follows a response on the same connection, so statements that are sent together
 * count once. Data that is sent during a response may count twice; the number is never too small. The database must listen
 * on a unix socket.
 */
export async function startRoundTripCounter(database: pg.ClientConfig): Promise<RoundTripCounter> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-trips-'));
  const name = `.s.PGSQL.${database.port}`;
  const sockets = new Set<net.Socket>();
  let trips = 0;
  const server = net.createServer((client) => {
    const target = net.connect(path.join(String(database.host), name));
    let hasResponse = true;
    client.on('data', (data) => {
      if (hasResponse) trips += 1;
      hasResponse = false;
      target.write(data);
    });
    target.on('data', (data) => {
      hasResponse = true;
      client.write(data);
    });
    for (const [socket, other] of [[client, target] as const, [target, client] as const]) {
      sockets.add(socket);
      socket.on('close', () => other.destroy()).on('error', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => void server.listen(path.join(folder, name), resolve));
  return {
    connection: { ...database, host: folder },
    count: () => trips,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
