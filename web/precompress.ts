import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const isText = /\.(js|css|html|svg|webmanifest)$/;
/** A smaller file fits one packet anyway; bytes. */
const minBytes = 1024;

/** Puts each text file of the build a second and a third time beside it, as Brotli and gzip at their best; the server sends those. */
export function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      // After the service worker, which is written at the same point of the build.
      async handler() {
        const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
        await Promise.all(files.filter((file) => isText.test(file)).map((file) => compress(path.join(folder, file))));
      },
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file);
  if (bytes.length < minBytes) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
