import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parse } from 'yaml';
import { root } from '../../scripts/steps.ts';
import { freePort } from '../../signalr/test/free-port.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';

/**
 * Runs what Dockerfile and compose.yaml say as far as that is possible without Docker: the COPY and RUN steps of each stage
 * in a folder of its stage, then the command as an ordinary process, with compose's settings and secrets, PostgreSQL from npm
 * and Redis where it is installed. Requires 200 from /ready, the health check and the metrics. Not tested: the images, the
 * container's user and network, coturn and the mail catcher.
 */
interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

interface Image {
  readonly folder: string;
  readonly env: Record<string, string>;
  command: readonly string[];
  healthCheck: readonly string[];
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-container-'));
const cleanups: (() => unknown)[] = [() => fs.rmSync(work, { recursive: true, force: true })];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const inheritedEnv = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

/** Runs the steps of the Dockerfile. Returns the last stage. */
function buildImage(): Image {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  const text = fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8').replaceAll(/\\\n/g, ' ');
  for (const line of text.split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/);
    if (instruction === '' || instruction.startsWith('#')) continue;
    if (instruction === 'FROM') {
      const name = words[2] ?? 'last';
      image = { folder: path.join(work, name), env: {}, command: [], healthCheck: [] };
      fs.mkdirSync(image.folder);
      stages.set(name, image);
    } else if (image) runStep(image, stages, instruction, words);
  }
  if (!image) throw new Error('The Dockerfile has no stage.');
  return image;
}

function runStep(image: Image, stages: ReadonlyMap<string, Image>, instruction: string, words: string[]): void {
  switch (instruction) {
    case 'ENV':
      for (const word of words) image.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
      return;
    case 'COPY':
      return copy(image, stages, words);
    case 'RUN':
      // The account of the image does not exist here.
      if (words.includes('chown')) return say(`not run: ${words.join(' ')}`);
      say(`$ ${words.join(' ')}`);
      execFileSync('sh', ['-c', words.join(' ')], {
        cwd: image.folder,
        env: { ...inheritedEnv, ...image.env, npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      return;
    case 'CMD':
      image.command = JSON.parse(words.join(' ')) as string[];
      return;
    case 'HEALTHCHECK':
      image.healthCheck = JSON.parse(words.slice(words.indexOf('CMD') + 1).join(' ')) as string[];
      return;
    case 'WORKDIR':
    case 'USER':
    case 'VOLUME':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`Not a step that this script knows: ${instruction}`);
  }
}

/** Copies files of the repository, or of a stage with --from. */
function copy({ folder }: Image, stages: ReadonlyMap<string, Image>, words: readonly string[]): void {
  const [option, ...others] = words;
  const from = option?.startsWith('--from=') ? stages.get(option.slice('--from='.length)) : undefined;
  const names = from ? others : words;
  const sources = names.slice(0, -1).map((name) => name.replace(/^\/app(\/|$)/, ''));
  const target = path.join(folder, names.at(-1) ?? '');
  if (from) {
    const [source = ''] = sources;
    fs.cpSync(path.join(from.folder, source), target, { recursive: true, verbatimSymlinks: true });
    return;
  }
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...sources], {
    cwd: root,
    encoding: 'utf8',
  });
  const isFolder = sources.length > 1 || names.at(-1)?.endsWith('/');
  for (const file of tracked.trim().split('\n')) {
    const to = isFolder ? path.join(target, path.basename(file)) : path.join(target, file);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.cpSync(path.join(root, file), to);
  }
}

/** Creates the secrets with the script of the example, in a copy of its folder. Returns their folder. */
function createSecrets(): string {
  const deploy = path.join(work, 'deploy');
  fs.cpSync(path.join(root, 'deploy'), deploy, { recursive: true, filter: (name) => !name.endsWith('/secrets') });
  execFileSync('sh', [path.join(deploy, 'create-secrets.sh')]);
  return path.join(deploy, 'secrets');
}

async function startDatabase(secrets: string): Promise<void> {
  const postgres = await startPostgres({ dir: path.join(work, 'postgres'), durable: false });
  cleanups.push(() => postgres.stop());
  const client = new pg.Client({ host: postgres.host, port: postgres.port, user: postgres.user, database: 'postgres' });
  await client.connect();
  const script = fs.readFileSync(path.join(root, 'deploy/create-application-role.sh'), 'utf8');
  const sql = /<<'SQL'\n([\s\S]*)\nSQL/.exec(script)?.[1] ?? '';
  const password = fs.readFileSync(path.join(secrets, 'application_password'), 'utf8').trim();
  await client.query('create database roomside');
  await client.query(sql.replace(":'password'", client.escapeLiteral(password)));
  await client.end();
  for (const name of ['database_url', 'database_owner_url']) {
    const file = path.join(secrets, name);
    const socket = `@localhost:${postgres.port}/roomside?host=${encodeURIComponent(postgres.host)}`;
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').trim().replace('@database:5432/roomside', socket));
  }
}

/** Returns false where Redis is not installed. */
async function startRedis(secrets: string): Promise<boolean> {
  if (spawnSync('redis-server', ['--version']).error) return false;
  const port = await freePort();
  const password = fs.readFileSync(path.join(secrets, 'redis_password'), 'utf8').trim();
  const args = ['--save', '', '--port', `${port}`, '--bind', '127.0.0.1', '--requirepass', password];
  const child = spawn('redis-server', args, { stdio: 'ignore', cwd: work });
  cleanups.push(() => child.kill());
  const file = path.join(secrets, 'redis_url');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('@redis:6379', `@127.0.0.1:${port}`));
  return true;
}

/** Waits up to 30 s for status 200. */
async function requireOk(url: string, headers: Record<string, string> = {}): Promise<void> {
  let last = '';
  for (let tries = 0; tries < 300; tries += 1) {
    const response = await fetch(url, { headers }).catch((error: Error) => error);
    if (response instanceof Response && response.ok) return say(`${new URL(url).pathname}: 200`);
    last = response instanceof Response ? `${response.status} ${await response.text()}` : response.message;
    await pause(100);
  }
  throw new Error(`${url}: ${last}`);
}

async function main(): Promise<void> {
  const compose = parse(fs.readFileSync(path.join(root, 'compose.yaml'), 'utf8')) as Compose;
  const secrets = createSecrets();
  for (const [service, { secrets: used = [] }] of Object.entries(compose.services)) {
    const missing = used.filter((name) => !fs.existsSync(path.join(work, compose.secrets[name]?.file ?? '-')));
    if (missing.length > 0) throw new Error(`${service} uses secrets that do not exist: ${missing.join(', ')}`);
  }
  const image = buildImage();
  await startDatabase(secrets);
  const hasRedis = await startRedis(secrets);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const app = compose.services['app'];
  if (!app) throw new Error('compose.yaml has no service app.');
  const settings = Object.entries(app.environment)
    .filter(([name]) => hasRedis || !name.startsWith('REDIS_URL'))
    .map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/^\/run\/secrets/, secrets)]);
  const own = { DATA_DIR: path.join(work, 'data'), PORT: `${port}`, METRICS_PORT: `${metricsPort}` };
  const env = { ...inheritedEnv, ...image.env, ...(Object.fromEntries(settings) as Record<string, string>), ...own };
  const [program = '', ...args] = image.command;
  const child = spawn(program, args, { cwd: image.folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  await requireOk(`http://127.0.0.1:${port}/ready`);
  await requireOk(`http://127.0.0.1:${port}/`);
  const token = fs.readFileSync(path.join(secrets, 'metrics_token'), 'utf8').trim();
  await requireOk(`http://127.0.0.1:${metricsPort}/metrics`, { authorization: `Bearer ${token}` });
  const [checker = '', ...checkArgs] = image.healthCheck;
  execFileSync(checker, checkArgs, { env });
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`The server ended with ${code}.`);
  say(`Health check and shutdown work. Redis: ${hasRedis ? 'used' : 'not installed, not used'}.`);
}

try {
  await main();
} finally {
  for (const step of cleanups.reverse()) await step();
}
