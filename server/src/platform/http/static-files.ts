import fs from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Serves the built web. Files with a hash in their name are cached for a year, others are revalidated each time. */
export async function serveWeb(app: FastifyInstance, folder: string): Promise<void> {
  if (!fs.existsSync(path.join(folder, 'index.html'))) return;
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    // The build writes .br and .gz files beside the originals.
    preCompressed: true,
    // Vite's manifest (.vite) is not served.
    dotfiles: 'ignore',
    setHeaders: (reply: { header(name: string, value: string): unknown }, file) => {
      void reply.header('vary', 'accept-encoding');
      const isHashed = file.includes(`${path.sep}assets${path.sep}`);
      void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
