import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';

/** The package as npm gets it, in an empty TypeScript project outside of this repository, without a network. */

const run = promisify(execFile);
const signalr = path.join(import.meta.dirname, '..');
const modules = path.join(signalr, '../node_modules');
/** What the project has installed besides the package: its dependency, its peers, and what the README's example uses. */
const installed = [
  ...['ws', '@msgpack/msgpack', '@nats-io/transport-node', '@redis/client'],
  ...['@microsoft/signalr', '@types/node', 'jose'],
];
const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
  },
};

/** Two clients of the README's example. */
const people = `
import { SignJWT } from 'jose';
import { enter } from './client.ts';
const secret = new TextEncoder().encode(process.env['TOKEN_SECRET']);
const open = async (sub: string, name: string) => {
  const jwt = new SignJWT({ name }).setProtectedHeader({ alg: 'HS256' }).setSubject(sub).setExpirationTime('1h');
  return enter('lobby', await jwt.sign(secret), (line) => console.log(\`\${name} sees \${line}\`));
};
const anna = await open('1', 'Anna');
await open('2', 'Ben');
console.log(\`reached \${await anna.say('Hello')}\`);
`;
/** Every entry point of the package. */
const entries = `
import { memory } from '@roomside/signalr';
import { typed } from '@roomside/signalr/client';
import { messagePack } from '@roomside/signalr/messagepack';
import { nats } from '@roomside/signalr/nats';
import { redis } from '@roomside/signalr/redis';
console.log([memory, typed, nats, redis].map((entry) => typeof entry).join(), messagePack.name);
`;

let project = '';
let port = 0;

beforeAll(async () => {
  await run(process.execPath, [path.join(signalr, 'build.ts')]);
  project = await mkdtemp(path.join(tmpdir(), 'signalr-package-'));
  port = await freePort();
  const scope = path.join(project, 'node_modules/@roomside');
  await mkdir(scope, { recursive: true });
  await run('npm', ['pack', path.join(signalr, 'dist'), '--pack-destination', scope], {
    shell: process.platform === 'win32',
  });
  const [tarball = ''] = await readdir(scope);
  await run('tar', ['-xzf', tarball], { cwd: scope });
  await rm(path.join(scope, tarball));
  await symlink(path.join(scope, 'package'), path.join(scope, 'signalr'), 'junction');
  for (const name of installed) {
    const link = path.join(project, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(modules, name), link, 'junction');
  }
  const files = { ...(await readExample()), 'people.ts': people, 'entries.ts': entries };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(path.join(project, name), text)));
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Returns the files of the README's example, unchanged except for the port. */
async function readExample(): Promise<Record<string, string>> {
  const text = await readFile(path.join(signalr, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*?)\n```/g)].map(([, block = '']) => block);
  const named = blocks.map((block) => [/^\/\/ (\w+\.ts)\n/.exec(block)?.[1], block] as const);
  const files = named.flatMap(([name, block]) => (name ? [[name, block.replaceAll('8080', String(port))]] : []));
  return Object.fromEntries(files) as Record<string, string>;
}

/** Starts a program of the project; its output is in the returned object. It ends with the test. */
function start(file: string, env: NodeJS.ProcessEnv = {}): { readonly child: ChildProcess; output: string } {
  const child = spawn(process.execPath, [file], {
    cwd: project,
    env: { ...process.env, NODE_OPTIONS: '', TOKEN_SECRET: 'a secret of thirty-two bytes or more', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => void (started.output += data));
  onTestFinished(() => void child.kill('SIGKILL'));
  return started;
}

/** Resolves when a server accepts connections. */
const listening = () =>
  expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);

test('package: has the built files, documents and examples only, and is not private', async () => {
  const folder = path.join(project, 'node_modules/@roomside/package');
  const names = await readdir(folder, { recursive: true });
  const top = names.filter((name) => !name.includes(path.sep)).sort();
  expect(top).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'SPEC.md', 'examples', 'lib', 'package.json'].sort(),
  );
  expect(names.filter((name) => name.endsWith('.ts') && !/\.d\.ts$|^examples/.test(name))).toEqual([]);
  expect(names.filter((name) => name.includes('test'))).toEqual([]);
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect([manifest['private'], manifest['devDependencies'], manifest['scripts']]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  // Fields of ws that are not public are used, so another version must be tested first.
  expect(manifest['dependencies']).toEqual({ ws: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

test('README example: type-checks strictly against the declarations, with every entry point', async () => {
  const tsc = path.join(modules, 'typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test('entry points: load as JavaScript', async () => {
  const { stdout } = await run(process.execPath, ['entries.ts'], { cwd: project });
  expect(stdout).toBe('function,function,function,function messagepack\n');
});

test('README example: runs with the built package, and the message reaches the room', async () => {
  const server = start('server.ts');
  await listening();
  const clients = start('people.ts');
  await expect.poll(() => clients.output + server.output, { timeout: 30_000 }).toMatch(/Ben sees Anna: Hello/);
  await expect.poll(() => clients.output, { timeout: 30_000 }).toMatch(/reached 1\n/);
  await expect.poll(() => clients.output, { timeout: 30_000 }).toMatch(/Anna sees the clock: /);
});
