import fs from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Serves the built web: files with a hash in their name are kept for a year, the page and the worker are asked for each time. */
export async function serveWeb(app: FastifyInstance, folder: string): Promise<void> {
  if (!fs.existsSync(path.join(folder, 'index.html'))) return;
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    // The build puts them beside their files.
    preCompressed: true,
    // Vite's manifest is for the build alone.
    dotfiles: 'ignore',
    setHeaders: (reply: { header(name: string, value: string): unknown }, file) => {
      void reply.header('vary', 'accept-encoding');
      const hashed = file.includes(`${path.sep}assets${path.sep}`);
      void reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
