/**
 * What a patient's phone loads before it can sign in at /link: prints the compressed size of every script that the
 * first page needs, and the sum in bytes as the last line. The goal is 90 KB, the limit 130 KB (gzip -9).
 * Exit code 1 above the limit.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const limit = 130_000;
const dist = new URL('./dist/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, dist));

interface Chunk {
  file: string;
  imports?: string[];
  isEntry?: boolean;
}
const manifest: Record<string, Chunk> = JSON.parse(read('.vite/manifest.json').toString());

const files = new Set<string>();
function visit(key: string): void {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  chunk.imports?.forEach(visit);
}
for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) visit(key);
// What the page itself names counts too, whatever the manifest says.
for (const [, file] of read('index.html')
  .toString()
  .matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g)) {
  if (file) files.add(file);
}

let sum = 0;
for (const file of files) {
  const bytes = gzipSync(read(file), { level: 9 }).length;
  sum += bytes;
  console.log(`${file} ${bytes}`);
}
console.log(sum);
if (sum > limit) process.exitCode = 1;
