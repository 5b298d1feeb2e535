/**
 * What a patient's or a provider's first pages load: prints for each page its scripts' compressed size in bytes and their sum,
 * and as the last line the sum of /link. The goal of /link is 90 KB, its limit 130 KB (gzip -9). Exit code 1 above a limit, or
 * when a page brings code of the staff's pages.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('./dist/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, dist));

interface Chunk {
  file: string;
  imports?: string[];
  isEntry?: boolean;
}
const manifest: Record<string, Chunk> = JSON.parse(read('.vite/manifest.json').toString());

/** Each page with the modules that it asks for by itself, and its limit in bytes. */
const pages: Record<string, { modules: string[]; limit: number }> = {
  booking: { modules: ['src/app.tsx', 'src/features/booking/BookingPage.tsx'], limit: 180_000 },
  'my visits': { modules: ['src/app.tsx', 'src/features/my-visits/MyVisitsPage.tsx'], limit: 180_000 },
  'a visit, before its time': { modules: ['src/app.tsx', 'src/features/room/RoomPage.tsx'], limit: 180_000 },
  'waiting room': { modules: ['src/app.tsx', 'src/features/room/PatientWaitingPage.tsx'], limit: 180_000 },
  'thank you': { modules: ['src/app.tsx', 'src/features/auth/ThankYouPage.tsx'], limit: 180_000 },
  '/login': { modules: ['src/app.tsx', 'src/features/auth/LoginPage.tsx'], limit: 180_000 },
  '/link': { modules: [], limit: 130_000 },
};

/** Chunks of the staff's pages by their names, and marks of their libraries that no renaming hides. */
const staffChunk = /\/(material|pickers|forms|theme|signalr|StaffShell|StaffTheme|Overlays|ListTable)-/;
const staffCode = /\bMui[A-Z]\w+|rdfa-emotion|data-emotion/;

const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
// What the page itself names counts too, whatever the manifest says.
const named = [
  ...read('index.html')
    .toString()
    .matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g),
].map(([, file = '']) => file);

function filesOf(modules: readonly string[]): Set<string> {
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
  [...entries, ...modules].forEach(visit);
  return files;
}

for (const [page, { modules, limit }] of Object.entries(pages)) {
  const files = filesOf(modules);
  let sum = 0;
  for (const file of files) {
    const code = read(file);
    const bytes = gzipSync(code, { level: 9 }).length;
    sum += bytes;
    if (page === '/link') console.log(`${file} ${bytes}`);
    if (staffChunk.test(file) || staffCode.test(code.toString())) {
      console.error(`${page} loads code of the staff's pages: ${file}`);
      process.exitCode = 1;
    }
  }
  if (sum > limit) {
    console.error(`${page} has ${sum} bytes, above its limit of ${limit}.`);
    process.exitCode = 1;
  }
  console.log(page === '/link' ? sum : `${page}: ${sum}`);
}

// The first page starts without a network: the worker keeps everything that it names.
const worker = read('ngsw-worker.js').toString();
for (const file of named) {
  if (worker.includes(file)) continue;
  console.error(`The worker does not keep ${file}, which the first page needs.`);
  process.exitCode = 1;
}
