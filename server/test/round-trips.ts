import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';

/** Stands between a server and its database, and counts how often the server asks and waits. */
export interface RoundTripCounter {
  /** Where the server finds the database. */
  readonly connection: pg.ClientConfig;
  /** Round trips so far. */
  count(): number;
  stop(): void;
}

/**
 * Counts the bytes of a client that follow an answer on the same connection: statements that are sent together count once.
 * What is sent while the database answers may count once more, so the figure is never too small. The database listens on
 * a unix socket.
 */
export async function startRoundTripCounter(database: pg.ClientConfig): Promise<RoundTripCounter> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-trips-'));
  const name = `.s.PGSQL.${database.port}`;
  const sockets = new Set<net.Socket>();
  let trips = 0;
  const server = net.createServer((client) => {
    const target = net.connect(path.join(String(database.host), name));
    let isAnswered = true;
    client.on('data', (data) => {
      if (isAnswered) trips += 1;
      isAnswered = false;
      target.write(data);
    });
    target.on('data', (data) => {
      isAnswered = true;
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
