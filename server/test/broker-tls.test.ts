import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../signalr/test/support-backplane.ts';

/** The line to the broker is encrypted and asks for a password: what is said in a visit crosses it. */

const folder = mkdtempSync(path.join(tmpdir(), 'roomside-tls-'));
const key = path.join(folder, 'key.pem');
const certificate = path.join(folder, 'certificate.pem');
const password = "it's secret";

const found = (...usual: string[]) => usual.find((program) => !spawnSync(program, ['--version']).error);
const redis = found('redis-server', '/usr/bin/redis-server');
const nats = found('nats-server', '/usr/sbin/nats-server');
const openssl = found('openssl');

/** Another one that would be trusted too, but names another server. */
const othersCertificate = path.join(folder, 'others-certificate.pem');

beforeAll(() => {
  make(certificate, 'IP:127.0.0.1', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key]);
  make(othersCertificate, 'DNS:localhost,DNS:others.example', ['-key', key]);
});

function make(file: string, name: string, keyOptions: readonly string[]): void {
  if (!openssl) return;
  const made = spawnSync(openssl, [
    ...['req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=roomside', '-addext', `subjectAltName=${name}`],
    ...[...keyOptions, '-out', file],
  ]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
}

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs until the test ends. Resolves with its lines once one of them fits. */
async function run(program: string, args: readonly string[], fits: RegExp, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, { env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      if (fits.test(line)) resolve(lines);
    });
  }
  void exited.then(() => reject(new Error(`${program} ended: ${lines.join(' ')}`)));
  return promise;
}

const ends = (settings: object, fits: RegExp, trusted?: string) =>
  run(process.execPath, [path.join(import.meta.dirname, 'broker-pair.ts')], fits, {
    BROKER: JSON.stringify({ REDIS_URL: null, NATS_URL: null, ...settings }),
    NODE_EXTRA_CA_CERTS: trusted,
  });

const secret = encodeURIComponent(password);
const brokers = [
  {
    name: 'Redis',
    program: redis,
    start: async (port: number, shown = certificate) => {
      const files = ['--tls-cert-file', shown, '--tls-key-file', key, '--tls-auth-clients', 'no'];
      const quiet = ['--save', '', '--appendonly', 'no', '--dir', folder, '--bind', '127.0.0.1'];
      const options = ['--port', '0', '--tls-port', `${port}`, ...files, ...quiet, '--requirepass', password];
      await run(redis ?? '', options, /Ready to accept connections/);
      return { REDIS_URL: `rediss://:${secret}@127.0.0.1:${port}` };
    },
    wrong: ({ REDIS_URL }: Record<string, unknown>) => ({ REDIS_URL: `${REDIS_URL}`.replace(secret, 'guessed') }),
  },
  {
    name: 'NATS',
    program: nats,
    start: async (port: number, shown = certificate) => {
      const files = ['--tls', '--tlscert', shown, '--tlskey', key];
      const options = ['-a', '127.0.0.1', '-p', `${port}`, ...files, '--user', 'clinic', '--pass', password];
      await run(nats ?? '', options, /Server is ready/);
      return { NATS_URL: [`tls://clinic:${secret}@127.0.0.1:${port}`] };
    },
    wrong: ({ NATS_URL }: Record<string, unknown>) => ({
      NATS_URL: [`${String(NATS_URL)}`.replace(secret, 'guessed')],
    }),
  },
] as const;

describe.for(brokers)('$name with TLS and a password', ({ program, start, wrong }) => {
  const isAbsent = !program || !openssl;

  test.skipIf(isAbsent)('messages and answers cross', async () => {
    const settings = await start(await freePort());
    const lines = await ends(settings, /^answer/, certificate);
    expect(lines).toEqual(expect.arrayContaining(['heard: room hello', "answer: it's two"]));
  });

  test.skipIf(isAbsent)('a certificate that nobody vouches for is refused, and the log says why', async () => {
    const settings = await start(await freePort());
    const lines = await ends(settings, /^log/);
    expect(lines.at(-1)).toMatch(/certificate/i);
    expect(lines.join()).not.toContain('heard');
  });

  test.skipIf(isAbsent)('a certificate of another server is refused, and the log says why', async () => {
    const settings = await start(await freePort(), othersCertificate);
    const lines = await ends(settings, /^log/, othersCertificate);
    expect(lines.at(-1)).toMatch(/not .*cert/i);
    expect(lines.join()).not.toContain('heard');
  });

  test.skipIf(isAbsent)('a wrong password is refused, and the log says why', async () => {
    const settings = await start(await freePort());
    const lines = await ends(wrong(settings), /^log/, certificate);
    expect(lines.at(-1)).toMatch(/WRONGPASS|Authorization/i);
    expect(lines.join()).not.toContain('heard');
  });
});

test('a NATS address without TLS is told nothing when another address asks for TLS', async () => {
  const greeting = { server_id: 'plain', version: '2.10.0', proto: 1, max_payload: 1_048_576, auth_required: true };
  const heard: string[] = [];
  const plain = createServer((socket) => {
    socket.on('data', (bytes) => heard.push(`${bytes}`)).on('error', () => {});
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
  });
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void plain.close());

  const { port } = plain.address() as AddressInfo;
  const NATS_URL = [`nats://clinic:${secret}@127.0.0.1:${port}`, `tls://127.0.0.1:${await freePort()}`];
  await ends({ NATS_URL }, /^log.*does not support 'tls'/);
  expect(heard).toEqual([]);
});
