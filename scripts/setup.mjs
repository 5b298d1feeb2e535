// Runs before `npm start`, `npm run check` and `npm test` with the machine's Node (20 or later): installs the packages of
// the lock file and builds the web application, each only after changes. With `NODE_ENV=production` it installs only the packages for running and building, without
// tests, browsers and benchmarks. Before `npm run start:production` it also builds the server.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const LOCK = path.join(root, 'package-lock.json');
const BIN = path.join(root, 'node_modules/.bin');
const INSTALLED = path.join(root, 'node_modules/.roomside-installed');
const WEB_BUILT = path.join(root, 'web/dist/.built-from');
const SERVER_BUILT = path.join(root, 'server/dist/.built-from');

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Roomside needs Node 20 or later to set itself up; this is ${process.version}.`);
  process.exit(1);
}
const event = process.env.npm_lifecycle_event;
const isProductionStart = event === 'prestart:production';
// Tests need all packages, for any NODE_ENV.
const forProduction = isProductionStart || (process.env.NODE_ENV === 'production' && event !== 'pretest');
const WHAT_RUNS = ['contract', 'signalr', 'server', 'web'];
install();
buildWeb();
if (isProductionStart) buildServer();

function install() {
  const lock = fs.readFileSync(LOCK);
  const state = hash([lock]);
  const installed = read(INSTALLED);
  // A full installation includes the production packages.
  if (installed === state || (forProduction && installed === `${state} production`)) return;
  console.log('Installing packages…');
  // Without node_modules/.bin: npm may replace the Node there while it runs.
  const PATH = searchPath().filter((folder) => path.basename(folder) !== '.bin');
  const part = forProduction
    ? ['--omit=dev', '--include-workspace-root', ...WHAT_RUNS.map((name) => `--workspace=${name}`)]
    : ['--include=dev'];
  const code = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...part], root, PATH);
  // On some platforms and registries npm rewrites the lock file; restores the committed one.
  if (!lock.equals(fs.readFileSync(LOCK))) fs.writeFileSync(LOCK, lock);
  if (code !== 0) fail('npm install failed.');
  fs.writeFileSync(INSTALLED, forProduction ? `${state} production` : state);
}

function buildWeb() {
  const web = path.join(root, 'web');
  const sources = [
    ...files(path.join(web, 'src')),
    ...files(path.join(web, 'public')),
    ...files(path.join(root, 'contract/src')),
    // Vite's configuration and plugins are the modules beside the pages.
    ...fs
      .readdirSync(web)
      .filter((name) => /\.(html|ts)$/.test(name) || name === 'package.json')
      .sort()
      .map((name) => path.join(web, name)),
    LOCK,
  ];
  // Before the first installation npm could not put node_modules/.bin into PATH; Vite needs the pinned Node there.
  const vite = path.join(BIN, process.platform === 'win32' ? 'vite.cmd' : 'vite');
  build('web', WEB_BUILT, sources, () => run(vite, ['build', '--logLevel', 'warn'], web, [BIN, ...searchPath()]));
}

function buildServer() {
  const script = path.join(root, 'scripts/build-server.ts');
  const sources = [
    ...WHAT_RUNS.filter((name) => name !== 'web').flatMap((name) => files(path.join(root, name, 'src'))),
  ];
  const node = path.join(BIN, process.platform === 'win32' ? 'node.cmd' : 'node');
  build('server', SERVER_BUILT, [...sources, script, LOCK], () => run(node, [script], root, [BIN, ...searchPath()]));
}

/** Builds a part when its sources differ from those that it was built from. `work` returns an exit code. */
function build(part, marker, sources, work) {
  const files = sources.filter((file) => !/\.test\.tsx?$/.test(file));
  const state = hash(files.flatMap((file) => [path.relative(root, file), fs.readFileSync(file)]));
  if (read(marker) === state) return;
  console.log(`Building the ${part}…`);
  if (work() !== 0) fail(`The ${part} could not be built.`);
  fs.writeFileSync(marker, state);
}

function files(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hash(parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${part.length}:`).update(part);
  return digest.digest('hex');
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function searchPath() {
  return (process.env.PATH ?? '').split(path.delimiter);
}

/** Runs a command without npm's environment variables, which would change the behavior of an inner npm. */
function run(command, args, cwd, folders) {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|PATH$)/i.test(name));
  const env = { ...Object.fromEntries(own), PATH: folders.join(path.delimiter) };
  const shell = process.platform === 'win32';
  const result = spawnSync(command, args, { cwd, env, shell, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.error) console.error(result.error.message);
  return result.status;
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
