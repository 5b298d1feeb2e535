import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { freePort } from '../../signalr/test/free-port.ts';

/** Debian's path; null when coturn is not installed. */
export const turnProgram = spawnSync('turnserver', ['--version'], { stdio: 'ignore' }).error ? null : 'turnserver';

export interface TurnServer {
  readonly port: number;
  readonly secret: string;
  stop(): Promise<void>;
}

/** coturn on loopback, with the shared secret of its REST scheme. It may relay to loopback. */
export async function startTurn(): Promise<TurnServer> {
  const secret = randomUUID();
  const port = await freePort();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-turn-'));
  const child = spawn(
    turnProgram ?? 'turnserver',
    [
      '-n',
      '--listening-ip=127.0.0.1',
      '--relay-ip=127.0.0.1',
      `--listening-port=${port}`,
      '--min-port=49160',
      '--max-port=49660',
      '--allow-loopback-peers',
      '--fingerprint',
      '--use-auth-secret',
      `--static-auth-secret=${secret}`,
      '--realm=test.local',
      '--no-cli',
      // UDP only: the port was not checked for TCP.
      '--no-tcp',
      '--no-tls',
      '--no-dtls',
      '--no-rfc5780',
      '--simple-log',
      '--log-file=stdout',
      `--pidfile=${folder}/pid`,
      `--userdb=${folder}/db`,
    ],
    { stdio: 'ignore' },
  );
  const orphan = () => child.kill('SIGKILL');
  process.on('exit', orphan);
  // It does not print when it is ready, so a STUN response is awaited.
  const from = Date.now();
  while (!(await answersStun(port))) {
    if (Date.now() - from > 20_000 || child.exitCode !== null) throw new Error('coturn did not start.');
    await pause(50);
  }
  return {
    port,
    secret,
    stop: async () => {
      process.off('exit', orphan);
      await kill(child);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** One binding request (RFC 8489). */
async function answersStun(port: number): Promise<boolean> {
  const socket = dgram.createSocket('udp4');
  const answered = Promise.race([once(socket, 'message').then(() => true), pause(2_000, false)]);
  socket.send(Buffer.concat([Buffer.from('000100002112a442', 'hex'), randomBytes(12)]), port, '127.0.0.1');
  try {
    return await answered;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

/** The network of one peer: forwards its packets to the relay and back while it is open. */
export interface Line {
  readonly port: number;
  open: boolean;
  /** Part of the packets that are dropped in each direction, 0 to 1. */
  loss: number;
  /** Bits per second in each direction; packets that wait longer than `maxQueueMs` are dropped. */
  rate: number;
  close(): void;
}

/** A router's buffer, ms. */
const maxQueueMs = 250;

export async function openLine(relayPort: number): Promise<Line> {
  const front = dgram.createSocket('udp4');
  const backs = new Map<number, dgram.Socket>();
  const line: Line = { port: 0, open: true, loss: 0, rate: Number.POSITIVE_INFINITY, close: () => {} };
  const direction = () => {
    let freeAt = 0;
    return (packet: Buffer, send: () => void) => {
      if (!line.open || Math.random() < line.loss) return;
      const now = performance.now();
      const wait = Math.max(0, freeAt - now);
      if (wait > maxQueueMs) return;
      freeAt = now + wait + (packet.length * 8 * 1000) / line.rate;
      if (wait === 0) send();
      else setTimeout(() => line.open && send(), wait);
    };
  };
  const [up, down] = [direction(), direction()];
  front.on('message', (packet, from) => {
    let back = backs.get(from.port);
    if (!back) {
      back = dgram.createSocket('udp4');
      back.on('message', (reply) => down(reply, () => front.send(reply, from.port, from.address)));
      backs.set(from.port, back);
    }
    const relay = back;
    up(packet, () => relay.send(packet, relayPort, '127.0.0.1'));
  });
  front.bind(0, '127.0.0.1');
  await once(front, 'listening');
  return Object.assign(line, {
    port: front.address().port,
    close: () => {
      line.open = false;
      front.close();
      for (const back of backs.values()) back.close();
    },
  });
}

/** Restricts this page's media to the relay at `port`, as behind a strict firewall. Call it before the page is opened. */
export async function onlyThrough(page: Page, port: number): Promise<void> {
  await page.addInitScript((relay) => {
    const through = (configuration: RTCConfiguration = {}): RTCConfiguration => ({
      ...configuration,
      iceServers: (configuration.iceServers ?? []).map((server) => ({
        ...server,
        urls: `turn:127.0.0.1:${relay}?transport=udp`,
      })),
      iceTransportPolicy: 'relay',
    });
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(configuration?: RTCConfiguration) {
        super(through(configuration));
      }

      override setConfiguration(configuration?: RTCConfiguration): void {
        super.setConfiguration(through(configuration));
      }
    };
  }, port);
}
