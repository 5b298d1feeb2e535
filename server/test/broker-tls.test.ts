import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../signalr/test/free-port.ts';

/** Connections to the broker use TLS and a password, since messages of visits pass through it. */

const folder = mkdtempSync(path.join(tmpdir(), 'roomside-tls-'));
const key = path.join(folder, 'key.pem');
const certificate = path.join(folder, 'certificate.pem');
const password = "it's secret";

const findProgram = (...candidates: string[]) => candidates.find((program) => !spawnSync(program, ['--version']).error);
const redis = findProgram('redis-server', '/usr/bin/redis-server');
const nats = findProgram('nats-server', '/usr/sbin/nats-server');
const openssl = findProgram('openssl');

/** A trusted certificate of another server. */
const otherCertificate = path.join(folder, 'other-certificate.pem');

beforeAll(() => {
  createCertificate(certificate, 'IP:127.0.0.1', [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-keyout',
    key,
  ]);
  createCertificate(otherCertificate, 'DNS:localhost,DNS:others.example', ['-key', key]);
});

function createCertificate(file: string, name: string, keyOptions: readonly string[]): void {
  if (!openssl) return;
  const made = spawnSync(openssl, [
    ...['req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=roomside', '-addext', `subjectAltName=${name}`],
    ...[...keyOptions, '-out', file],
  ]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
}

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program until the test ends. Resolves with its lines when one of them matches. */
async function run(program: string, args: readonly string[], pattern: RegExp, env: NodeJS.ProcessEnv = {}) {
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
      if (pattern.test(line)) resolve(lines);
    });
  }
  void exited.then(() => reject(new Error(`${program} ended: ${lines.join(' ')}`)));
  return promise;
}

const runPair = (settings: object, pattern: RegExp, trusted?: string) =>
  run(process.execPath, [path.join(import.meta.dirname, 'broker-pair.ts')], pattern, {
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

describe.for(brokers)('$name with TLS and a password', ({ name, program, start, wrong }) => {
  beforeEach(({ skip }) => skip(!program || !openssl, `the server of ${name} or openssl is not installed`));

  test('messages and responses are delivered', async () => {
    const settings = await start(await freePort());
    const lines = await runPair(settings, /^answer/, certificate);
    expect(lines).toEqual(expect.arrayContaining(['received: room hello', "answer: it's two"]));
  });

  test('untrusted certificate: is refused and the log has the reason', async () => {
    const settings = await start(await freePort());
    const lines = await runPair(settings, /^log/);
    expect(lines.at(-1)).toMatch(/certificate/i);
    expect(lines.join()).not.toContain('received');
  });

  test('certificate of another server: is refused and the log has the reason', async () => {
    const settings = await start(await freePort(), otherCertificate);
    const lines = await runPair(settings, /^log/, otherCertificate);
    expect(lines.at(-1)).toMatch(/not .*cert/i);
    expect(lines.join()).not.toContain('received');
  });

  test('wrong password: is refused and the log has the reason', async () => {
    const settings = await start(await freePort());
    const lines = await runPair(wrong(settings), /^log/, certificate);
    expect(lines.at(-1)).toMatch(/WRONGPASS|Authorization/i);
    expect(lines.join()).not.toContain('received');
  });
});

test('NATS address without TLS: is sent nothing when another address has TLS', async () => {
  const greeting = { server_id: 'plain', version: '2.10.0', proto: 1, max_payload: 1_048_576, auth_required: true };
  const received: string[] = [];
  const plain = createServer((socket) => {
    socket.on('data', (bytes) => received.push(`${bytes}`)).on('error', () => {});
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
  });
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void plain.close());

  const { port } = plain.address() as AddressInfo;
  const NATS_URL = [`nats://clinic:${secret}@127.0.0.1:${port}`, `tls://127.0.0.1:${await freePort()}`];
  await runPair({ NATS_URL }, /^log.*does not support 'tls'/);
  expect(received).toEqual([]);
});
