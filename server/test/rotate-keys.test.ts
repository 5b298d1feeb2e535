import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startedServers } from './started-server.ts';

const { start, serves, place } = startedServers();
const command = path.join(import.meta.dirname, '../src/rotate-keys.ts');
const administrator = { email: 'root@clinic.test', password: 'roomside-2026-root' };
const [first, second] = ['first-secret-first-secret-first-secret', 'second-secret-second-secret-second'];

const real = (secret: string) => ({ PUBLIC_URL: `http://localhost:${place.port}`, SECRET_KEY: secret });

function rotate(args: readonly string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
  const own = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', DATA_DIR: path.join(place.folder, 'data'), ...env };
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env: own }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}`.trim() }),
    );
  });
}

async function signIn(): Promise<{ status: number; cookie: string }> {
  const response = await fetch(`http://localhost:${place.port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: administrator }),
  });
  return { status: response.status, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

const refresh = (cookie: string) =>
  fetch(`http://localhost:${place.port}/api/auth/refresh`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', origin: `http://localhost:${place.port}` },
    body: JSON.stringify({ kind: 'staff', active: true }),
  });

test('SECRET_KEY: a wrong one is refused in one sentence, a new one takes one command, and sign-ins survive it', async () => {
  const super_ = { SUPER_EMAIL: administrator.email, SUPER_PASSWORD: administrator.password };
  const server = start({ ...real(first), ...super_ });
  await serves();
  const { status, cookie } = await signIn();
  expect(status).toBe(200);
  expect(await rotate([], { SECRET_KEY: second, SECRET_KEY_OLD: first })).toEqual({
    code: 1,
    output: 'Stop all servers first: one was alive within the last 15 seconds, and would lose its keys.',
  });
  // New keys of the companies are made while it serves.
  expect((await rotate(['--data'], { SECRET_KEY: first })).code).toBe(0);
  server.child.kill('SIGTERM');
  await server.exited;

  const refused = await start(real(second)).exited;
  expect([refused.code, refused.output.trim()]).toEqual([
    1,
    'SECRET_KEY is not the one that this database was set up with: start with that one, or see "Keys" in docs/operations.md.',
  ]);
  expect((await rotate([], { SECRET_KEY: second })).output).toMatch(/^Set SECRET_KEY_OLD/);
  const file = path.join(place.folder, 'old.txt');
  fs.writeFileSync(file, `${first}\n`);
  const change = { SECRET_KEY: second, SECRET_KEY_OLD_FILE: file };
  expect(await rotate([], change)).toEqual({
    code: 0,
    output: 'All keys are sealed by the new SECRET_KEY. Start the server with it, and without SECRET_KEY_OLD.',
  });
  expect(await rotate([], change)).toEqual({ code: 0, output: 'All keys are sealed by this SECRET_KEY already.' });

  const again = start(real(second));
  await serves();
  const renewed = await refresh(cookie);
  expect([renewed.status, await renewed.json()]).toEqual([200, expect.objectContaining({ signedIn: true })]);
  again.child.kill('SIGTERM');
  await again.exited;

  // All sign-ins end by another one.
  expect(await rotate(['--sign-ins'], { SECRET_KEY: second })).toEqual({
    code: 0,
    output: 'All sign-ins and one-time links have ended.',
  });
  start(real(second));
  await serves();
  const cookies = renewed.headers.getSetCookie().map((line) => line.split(';')[0]);
  expect(await (await refresh(cookies.join('; '))).json()).toEqual({ signedIn: false });
  expect((await signIn()).status).toBe(200);
}, 90_000);
