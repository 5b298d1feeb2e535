import type { IncomingMessage } from 'node:http';
import type { DocumentSources } from '@roomside/contract/document-sources.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The hash of an empty style. Emotion creates one empty tag and fills it by the CSSOM, so no other inline style is allowed,
 * and index.html needs no nonce and can be cached.
 */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/**
 * Returns the content security policy of a document.
 *
 * @param more sources in addition to those of all documents, by directive
 */
export function securityPolicy(publicUrl: string, more: DocumentSources['sources'] = {}): string {
  const socket = publicUrl.replace(/^http/, 'ws');
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': `'self' ${emptyStyle}`,
    'img-src': "'self' data: blob:",
    'media-src': "'self' blob:",
    'font-src': "'self'",
    'connect-src': `'self' ${socket}`,
    'manifest-src': "'self'",
    'worker-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    ...(more['frame-src'] && { 'frame-src': '' }),
  };
  return Object.entries(policy)
    .map(([name, value]) => [name, value, ...(more[name as keyof typeof more] ?? [])].filter(Boolean).join(' '))
    .join('; ');
}

/**
 * Returns the content security policy of an isolated frame: it has no origin, only our pages show it, and it loads its script and its style.
 *
 * @param origin of its address. For some browsers 'self' is the origin of the document, which this one does not have.
 * @param connect whether it sends requests to our server
 */
export function framePolicy(origin: string, connect: boolean): string {
  const own = `'self' ${origin}`;
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    ...(connect ? [`connect-src ${own}`] : []),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** Returns the headers of every response. They do not change, so they are built once. */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'content-security-policy': securityPolicy(publicUrl),
    // The default; responses that may be cached override it.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'camera=(self), microphone=(self), display-capture=(self), fullscreen=(self), geolocation=(), payment=()',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };
}

/** Returns a Fastify hook that sets the headers on every response. */
export function addSecurityHeaders(headers: Record<string, string>) {
  return (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers(headers);
    done();
  };
}

const loopbackHost = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i;
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Returns whether a request comes from this machine, not through a proxy or tunnel. A demo has known passwords and shows
 * its emails, so it serves this machine only.
 */
export function isFromOwnMachine(request: IncomingMessage): boolean {
  const { remoteAddress = '' } = request.socket;
  const isLoopback = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress);
  return (
    isLoopback &&
    loopbackHost.test(request.headers.host ?? '') &&
    forwardingHeaders.every((name) => request.headers[name] === undefined)
  );
}
