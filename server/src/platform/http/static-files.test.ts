import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { DocumentSources } from '@roomside/contract/document-sources.ts';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../refusal.ts';
import { sendProblem } from './problem.ts';
import { addSecurityHeaders, securityHeaders } from './security.ts';
import { serveWeb } from './static-files.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-web-'));
const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
/** A document for this test; those of the product are in documents.test.ts. */
const cards: DocumentSources = {
  path: '/cards',
  sources: {
    'script-src': ['https://js.cards.test'],
    'frame-src': ['https://js.cards.test', 'https://hooks.cards.test'],
  },
};
const texts: Record<string, string> = {
  'index.html': `<!doctype html>${'<p>page</p>'.repeat(200)}`,
  'ngsw-worker.js': 'worker();'.repeat(200),
  'manifest.webmanifest': '{"name":"Roomside"}',
  'assets/index-abc.js': 'run();'.repeat(500),
  'assets/index-abc.css': 'p{color:red}'.repeat(200),
  'card-field.html': '<!doctype html><p>card</p>',
  'bank-challenge.html': '<!doctype html><p>bank</p>',
  'frames/card-field-abc.js': 'card();',
};
let port = 0;

beforeAll(async () => {
  for (const name of ['assets', 'frames']) fs.mkdirSync(path.join(folder, name));
  for (const [name, text] of Object.entries(texts)) {
    fs.writeFileSync(path.join(folder, name), text);
    if (text.length < 1024) continue;
    fs.writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(text));
    fs.writeFileSync(path.join(folder, `${name}.gz`), gzipSync(text));
  }
  fs.writeFileSync(path.join(folder, 'assets/inter.woff2'), 'wOF2');
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem(new Refusal('not-found'), request, reply));
  app.addHook('onRequest', addSecurityHeaders(securityHeaders('http://localhost')));
  await serveWeb(app, folder, 'http://localhost', [cards]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(async () => {
  await app.close();
  fs.rmSync(folder, { recursive: true });
});

/** Returns the raw response; fetch would decode it. */
function get(where: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: http.IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path: where, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
          );
        })
        .on('error', reject);
    },
  );
}

test.each([
  ['/', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
  ['/index.html', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
  ['/ngsw-worker.js', 'ngsw-worker.js', 'application/javascript; charset=utf-8', 'no-cache'],
  [
    '/assets/index-abc.js',
    'assets/index-abc.js',
    'application/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ],
  ['/assets/index-abc.css', 'assets/index-abc.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
])('%s: is sent as Brotli, gzip or plain, as accepted, each with its own ETag', async (where, name, type, cache) => {
  const responses = [
    [await get(where, { 'accept-encoding': 'gzip, deflate, br, zstd' }), 'br', brotliDecompressSync],
    [await get(where, { 'accept-encoding': 'gzip' }), 'gzip', gunzipSync],
    [await get(where), undefined, (body: Buffer) => body],
  ] as const;
  for (const [{ status, headers, body }, encoding, decode] of responses) {
    expect([status, headers['content-encoding'], headers['content-type'], headers['cache-control']]).toEqual([
      200,
      encoding,
      type,
      cache,
    ]);
    expect(headers.vary).toBe('accept-encoding');
    expect(decode(body).toString()).toBe(texts[name]);
  }
  const tags = responses.map(([{ headers }]) => headers.etag);
  expect(new Set(tags).size).toBe(3);
  const again = await get(where, { 'accept-encoding': 'br', 'if-none-match': tags[0] ?? '' });
  expect([again.status, again.body.length, again.headers['cache-control']]).toEqual([304, 0, cache]);
});

test('fonts and short files: are not compressed', async () => {
  const encodings = { 'accept-encoding': 'gzip, br' };
  const font = await get('/assets/inter.woff2', encodings);
  expect([font.headers['content-encoding'], font.headers['content-type'], font.body.toString()]).toEqual([
    undefined,
    'font/woff2',
    'wOF2',
  ]);
  const manifest = await get('/manifest.webmanifest', encodings);
  expect([manifest.headers['content-encoding'], manifest.headers['cache-control']]).toEqual([undefined, 'no-cache']);
  expect(manifest.headers.etag).toBeDefined();
});

test.each(['/assets/index-gone.js', '/nowhere', '/.vite/manifest.json', '/assets/', '/..%2f..%2fetc/passwd'])(
  '%s: is refused, and the response is not cached',
  async (where) => {
    const { status, headers } = await get(where, { 'accept-encoding': 'br' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-encoding']).toBeUndefined();
  },
);

test('a document with other origins: is the same page, and only its policy names them', async () => {
  const policyOf = async (where: string) => {
    const { status, headers, body } = await get(where);
    expect([where, status, body.toString()]).toEqual([where, 200, texts['index.html']]);
    return String(headers['content-security-policy']).split('; ');
  };
  const usual = await policyOf('/');
  expect(usual.join()).not.toContain('cards.test');
  for (const where of ['/cards', '/cards/']) {
    const policy = await policyOf(where);
    expect(policy.filter((directive) => !usual.includes(directive))).toEqual([
      "script-src 'self' https://js.cards.test",
      'frame-src https://js.cards.test https://hooks.cards.test',
    ]);
    expect(usual.filter((directive) => !policy.includes(directive))).toEqual(["script-src 'self'"]);
  }
  expect(String((await get('/assets/index-abc.js')).headers['content-security-policy'])).not.toContain('cards.test');
});

test.each([
  ['/card-field.html', []],
  ['/bank-challenge.html', ['connect-src']],
])('%s: has no origin, is shown by our pages only, and loads nothing but its script and style', async (where, more) => {
  const { status, headers, body } = await get(where, { host: 'visits.brand.test:8443' });
  expect([status, body.toString(), headers['cache-control']]).toEqual([200, texts[where.slice(1)], 'no-cache']);
  const own = "'self' http://visits.brand.test:8443";
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy.sort()).toEqual(
    [
      'sandbox allow-scripts',
      "default-src 'none'",
      `script-src ${own}`,
      `style-src ${own}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
      ...more.map((directive) => `${directive} ${own}`),
    ].sort(),
  );
});

test.each(['_', 'a b', 'x; script-src *', 'a"b', '<x>', '[::1', 'a:b'])(
  'frame for the host %j: has no directive of that host',
  async (host) => {
    const { status, headers } = await get('/card-field.html', { host });
    expect(status).toBe(200);
    const names = String(headers['content-security-policy'])
      .split(/; ?/)
      .map((directive) => directive.split(' ')[0]);
    expect(names).toEqual([
      'sandbox',
      'default-src',
      'script-src',
      'style-src',
      'form-action',
      'base-uri',
      'frame-ancestors',
    ]);
  },
);

test('files of a frame: may be read by a document without an origin; others may not', async () => {
  const { status, headers } = await get('/frames/card-field-abc.js');
  expect([status, headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
    200,
    '*',
    'cross-origin',
  ]);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const usual = (await get('/assets/index-abc.js')).headers;
  expect([usual['access-control-allow-origin'], usual['cross-origin-resource-policy']]).toEqual([
    undefined,
    'same-origin',
  ]);
});
