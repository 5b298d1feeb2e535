import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './support-backplane.ts';

/** Runs the README's example unchanged except for its port, with two clients in the room. */

const people = `
import { SignJWT } from 'jose';
import { enter } from './client.ts';
const secret = new TextEncoder().encode(process.env['TOKEN_SECRET']);
const sign = (sub: string, name: string) =>
  new SignJWT({ name }).setProtectedHeader({ alg: 'HS256' }).setSubject(sub).setExpirationTime('1h').sign(secret);
const open = async (sub: string, name: string) => {
  const token = await sign(sub, name);
  for (;;) {
    try {
      return await enter('lobby', token, (line) => console.log(\`\${name} sees \${line}\`));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
const anna = await open('1', 'Anna');
await open('2', 'Ben');
console.log(\`reached \${await anna.say('Hello')}\`);
`;

test('README example: runs, and the message reaches the room', { timeout: 90_000 }, async () => {
  const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const folder = await mkdtemp(join(import.meta.dirname, '.readme-'));
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const port = String(await freePort());
  for (const [, block = ''] of text.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*?)\n```/g)) {
    const name = /^\/\/ (\w+\.ts)\n/.exec(block)?.[1];
    if (name) await writeFile(join(folder, name), block.replaceAll('8080', port));
  }
  await writeFile(join(folder, 'people.ts'), people);
  let output = '';
  const env = { ...process.env, TOKEN_SECRET: 'a secret of thirty-two bytes or more' };
  for (const name of ['server.ts', 'people.ts']) {
    const child = spawn(process.execPath, [join(folder, name)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => void (output += data));
    children.push(child);
    await once(child, 'spawn');
  }
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/Ben sees Anna: Hello/);
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/reached 1\n/);
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/Anna sees the clock: /);
});
