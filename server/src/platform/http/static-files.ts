import fs from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { type DocumentSources, documentSources } from '@roomside/contract/document-sources.ts';
import { isolatedFrames } from '@roomside/contract/isolated-frames.ts';
import type { FastifyInstance } from 'fastify';
import { framePolicy, securityPolicy } from './security.ts';

/**
 * Serves the built web. Files with a hash in their name are cached for a year, others are revalidated each time. The documents
 * beside `/` are the same page under another content security policy; the isolated frames are separate documents.
 */
export async function serveWeb(
  app: FastifyInstance,
  folder: string,
  publicUrl: string,
  among: readonly DocumentSources[] = documentSources,
): Promise<void> {
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
      const isOfFrame = file.includes(`${path.sep}frames${path.sep}`);
      const isHashed = isOfFrame || file.includes(`${path.sep}assets${path.sep}`);
      void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (!isOfFrame) return;
      // A frame's document has no origin, so each of its files comes from another one.
      void reply.header('access-control-allow-origin', '*');
      void reply.header('cross-origin-resource-policy', 'cross-origin');
    },
  });
  for (const document of among) {
    const policy = securityPolicy(publicUrl, document.sources);
    app.get(document.path, (_request, reply) => reply.header('content-security-policy', policy).sendFile('index.html'));
  }
  const { protocol } = new URL(publicUrl);
  for (const { path: where, connect } of Object.values(isolatedFrames)) {
    app.get(where, (request, reply) => {
      // A brand has another host than publicUrl.
      const address = `${protocol}//${request.host}`;
      const { origin } = new URL(URL.canParse(address) ? address : publicUrl);
      return reply.header('content-security-policy', framePolicy(origin, connect)).sendFile(where.slice(1));
    });
  }
}
