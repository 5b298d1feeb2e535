/**
 * Prints the compressed size of the room's own code, and for each first page of patients and providers the compressed size (gzip -9) of its scripts in bytes and their sum,
 * and as the last line the sum of /link. The limits are slightly above the current sizes. Exit code 1 above a limit, or
 * when a page contains code of the staff's pages.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('./dist/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, dist));

interface Chunk {
  file: string;
  name?: string;
  imports?: string[];
  isEntry?: boolean;
}
const manifest: Record<string, Chunk> = JSON.parse(read('.vite/manifest.json').toString());

/** Each page with the chunks that it loads (vite.config.ts), and its limit in bytes. */
const pages: Record<string, { chunks: string[]; limit: number }> = {
  'booking, my visits, a visit before its time, waiting room, thank you': {
    chunks: ['app', 'patient'],
    limit: 162_000,
  },
  '/login': { chunks: ['app', 'login'], limit: 150_000 },
  // Without the frame of the card, which is a separate document.
  '/patient-payment': { chunks: ['app', 'patient', 'PatientPaymentPage'], limit: 170_000 },
  '/link': { chunks: ['light'], limit: 85_000 },
};

/** Chunks of the staff's pages by name, and strings of their libraries that survive renaming. */
const staffChunk = /\/(material|icons|pickers|forms|staff|theme|visit|signalr|StaffShell)-/;
/** Chunks that are loaded on the page of a payment only, and the field of Stripe, which is loaded when a clinic uses it. */
const cardChunk = /\/(PatientPaymentPage|StripeCard|stripe-client)-/;
const stripeChunk = /\/(StripeCard|stripe-client)-/;
const staffCode = /\bMui[A-Z]\w+|rdfa-emotion|data-emotion/;

const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
// Files that the page itself names count too, whatever the manifest says.
const named = [
  ...read('index.html')
    .toString()
    .matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g),
].map(([, file = '']) => file);

function keyOf(name: string): string {
  const key = Object.keys(manifest).find((one) => manifest[one]?.name === name);
  if (!key) throw new Error(`The build has no chunk ${name}.`);
  return key;
}

function filesOf(chunks: readonly string[]): Set<string> {
  const files = new Set(named);
  const seen = new Set<string>();
  const visit = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build has no ${key}.`);
    if (seen.has(key)) return;
    seen.add(key);
    files.add(chunk.file);
    chunk.imports?.forEach(visit);
  };
  [...entries, ...chunks.map(keyOf)].forEach(visit);
  return files;
}

/**
 * What the room loads beside the patient's first page, Material's components, the theme with its icons and dialogs, and the hub's client. Limit
 * in bytes.
 */
const room = {
  chunk: 'ThemedRoom',
  beside: ['app', 'patient', 'theme'],
  libraries: /\/(material|signalr|Drawer|ListSubheader)-/,
  limit: 55_000,
};

const sizeOf = (file: string): number => gzipSync(read(file), { level: 9 }).length;

const known = filesOf(room.beside);
const own = [...filesOf([room.chunk])].filter((file) => !known.has(file) && !room.libraries.test(file));
const roomBytes = own.reduce((sum, file) => sum + sizeOf(file), 0);
if (roomBytes > room.limit) {
  console.error(`The room has ${roomBytes} bytes, above its limit of ${room.limit}.`);
  process.exitCode = 1;
}
console.log(`the room’s own code: ${roomBytes}`);

for (const [page, { chunks, limit }] of Object.entries(pages)) {
  const files = filesOf(chunks);
  let sum = 0;
  for (const file of files) {
    const code = read(file);
    const bytes = sizeOf(file);
    sum += bytes;
    if (page === '/link') console.log(`${file} ${bytes}`);
    if (staffChunk.test(file) || staffCode.test(code.toString())) {
      console.error(`${page} loads code of the staff's pages: ${file}`);
      process.exitCode = 1;
    }
    if ((page === '/patient-payment' ? stripeChunk : cardChunk).test(file)) {
      console.error(`${page} loads code for cards: ${file}`);
      process.exitCode = 1;
    }
  }
  if (sum > limit) {
    console.error(`${page} has ${sum} bytes, above its limit of ${limit}.`);
    process.exitCode = 1;
  }
  console.log(page === '/link' ? sum : `${page}: ${sum}`);
}

// The first page starts without a network: the worker caches all files that it names.
const worker = read('ngsw-worker.js').toString();
for (const file of named) {
  if (worker.includes(file)) continue;
  console.error(`The worker does not keep ${file}, which the first page needs.`);
  process.exitCode = 1;
}
