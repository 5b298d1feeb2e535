import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { fire, median, type Shot } from './load.ts';

/** Stands between a server and its database, and counts how often the server asks and waits. */
export interface RoundTripCounter {
  /** Where the server finds the database. */
  readonly connection: pg.ClientConfig;
  /** Round trips so far: bytes of a client after bytes of the database on the same connection. */
  count(): number;
  stop(): void;
}

/**
 * Statements that are sent together count once, as the first bytes that follow an answer. What is sent while the database
 * answers may count once more: the figure is never too small.
 */
export async function startRoundTripCounter(database: pg.ClientConfig): Promise<RoundTripCounter> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-bench-'));
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

/**
 * How many round trips one such request takes, commit included: the middle one of some requests one after another, so
 * that the server's own work beside them does not count. The first ones prepare their statements.
 */
export async function roundTripsOf(counter: RoundTripCounter, shot: Shot, requests = 41): Promise<number> {
  for (let i = 0; i < requests; i += 1) await fire(shot);
  const trips: number[] = [];
  for (let i = 0; i < requests; i += 1) {
    const before = counter.count();
    await fire(shot);
    trips.push(counter.count() - before);
  }
  return median(trips);
}
