import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';
import { installationKey, startedServers } from './started-server.ts';

const { start, prepareDataFolder, waitUntilServing, signIn, place } = startedServers();
const [first, second] = [installationKey, 'second-secret-second-secret-second'];

const real = (secret: string) => ({ PUBLIC_URL: `http://localhost:${place.port}`, SECRET_KEY: secret });

const rotate = (args: readonly string[], env: Record<string, string>) =>
  runCommand('rotate-keys', args, { DATA_DIR: path.join(place.folder, 'data'), ...env });

const refresh = (cookie: string) =>
  fetch(`http://localhost:${place.port}/api/auth/refresh`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', origin: `http://localhost:${place.port}` },
    body: JSON.stringify({ kind: 'staff', active: true }),
  });

test('SECRET_KEY: a wrong one is refused; npm run rotate-keys changes it and keeps sign-ins', async () => {
  await prepareDataFolder('installation');
  const server = start(real(first));
  await waitUntilServing();
  const signedIn = await signIn();
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect(await rotate([], { SECRET_KEY: second, SECRET_KEY_OLD: first })).toEqual({
    code: 1,
    output: 'Stop all servers first: one was alive within the last 15 seconds, and would lose its keys.',
  });
  // --data works while the server runs.
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
  await waitUntilServing();
  const renewed = await refresh(cookie);
  expect([renewed.status, await renewed.json()]).toEqual([200, expect.objectContaining({ signedIn: true })]);
  again.child.kill('SIGTERM');
  await again.exited;

  // --sign-ins revokes all sign-ins.
  expect(await rotate(['--sign-ins'], { SECRET_KEY: second })).toEqual({
    code: 0,
    output: 'All sign-ins and one-time links have ended.',
  });
  start(real(second));
  await waitUntilServing();
  const cookies = renewed.headers.getSetCookie().map((line) => line.split(';')[0]);
  expect(await (await refresh(cookies.join('; '))).json()).toEqual({ signedIn: false });
  expect((await signIn()).status).toBe(200);
});
