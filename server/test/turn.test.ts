import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../signalr/test/free-port.ts';
import { iceServersFor } from '../src/features/room/ice-servers.ts';
import { readSettings } from '../src/platform/settings.ts';
import { TurnClient, type TurnUser } from './turn-client.ts';

const isInstalled = !spawnSync('turnserver', ['--version'], { stdio: 'ignore' }).error;
const secret = randomUUID();
let port = 0;

/** The credentials that the application issues to a page, at a time in ms. */
function credentialsAt(now: number): TurnUser {
  const settings = readSettings({ TURN_URLS: 'turn:relay.test', TURN_SECRET: secret });
  const [server] = iceServersFor(settings, '0123456789abcdef0123456789abcdef', now);
  return { username: server?.username ?? '', credential: server?.credential ?? '' };
}

const clients: TurnClient[] = [];

/**
 * Stays open until the relay has stopped. The relay keeps the allocation of a closed port for 10 minutes and refuses another one from the
 * same port with 437 (RFC 8656, 7.2), and the system may give a closed port to the next client.
 */
function connect(user: TurnUser): TurnClient {
  const client = new TurnClient(port, user);
  clients.push(client);
  return client;
}

/** Starts coturn with the settings of deploy/turnserver.conf and `more`, at `port`. */
function useTurnServer(more: readonly string[]): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-turn-'));
  let stop: () => Promise<void> = async () => {};

  beforeEach(({ skip }) => skip(!isInstalled, 'coturn is not installed'));
  beforeAll(async () => {
    if (!isInstalled) return;
    port = await freePort();
    const child = spawn(
      'turnserver',
      [
        ...['-c', path.join(import.meta.dirname, '../../deploy/turnserver.conf')],
        `--static-auth-secret=${secret}`,
        // The machine's own address, and files in a folder of the test.
        '--listening-ip=127.0.0.1',
        '--relay-ip=127.0.0.1',
        `--listening-port=${port}`,
        `--pidfile=${folder}/pid`,
        `--userdb=${folder}/db`,
        ...more,
      ],
      { stdio: 'ignore' },
    );
    const orphan = () => child.kill('SIGKILL');
    process.on('exit', orphan);
    stop = async () => {
      process.off('exit', orphan);
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      fs.rmSync(folder, { recursive: true, force: true });
    };
    await vi.waitFor(
      async () => {
        const code = await connect(credentialsAt(Date.now())).allocate();
        if (code !== 0) throw new Error(`coturn has refused the credentials: ${code}`);
      },
      { timeout: 30_000 },
    );
  });
  afterAll(async () => {
    await stop();
    for (const client of clients.splice(0)) client.close();
  });
}

describe('coturn with deploy/turnserver.conf', () => {
  useTurnServer([]);

  test('credentials of the application: are accepted until they expire', async () => {
    expect(await connect(credentialsAt(Date.now())).allocate()).toBe(0);
    expect(await connect(credentialsAt(Date.now() - 3_700_000)).allocate()).toBe(401);
    const wrong = { ...credentialsAt(Date.now()), credential: 'wrong' };
    expect(await connect(wrong).allocate()).toBe(401);
  });

  test.each([
    ...['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['192.0.2.1', '198.18.0.1', '255.255.255.255'],
  ])('peer %s: is refused', async (address) => {
    const client = connect(credentialsAt(Date.now()));
    expect(await client.allocate()).toBe(0);
    expect(await client.permit(address)).toBe(403);
  });

  test('peer with a public address: is permitted', async () => {
    const client = connect(credentialsAt(Date.now()));
    expect(await client.allocate()).toBe(0);
    expect(await client.permit('93.184.216.34')).toBe(0);
  });
});

describe('coturn behind a public address that is mapped to a private one', () => {
  useTurnServer(['--external-ip=93.184.216.34/10.9.8.7']);

  test('two people who both need the relay: meet at its own address; other private ones stay refused', async () => {
    const client = connect(credentialsAt(Date.now()));
    expect(await client.allocate()).toBe(0);
    for (const own of ['93.184.216.34', '10.9.8.7']) expect([own, await client.permit(own)]).toEqual([own, 0]);
    expect(await client.permit('10.9.8.6')).toBe(403);
  });
});
