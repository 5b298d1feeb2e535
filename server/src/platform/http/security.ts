import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The style hash is that of an empty text: Emotion makes one empty tag and fills it through the CSSOM, so nothing inline
 * is allowed and index.html stays cacheable.
 */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** The headers of every answer; fixed for a server's life, so they are made once. */
export function securityHeaders(publicUrl: string): Record<string, string> {
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
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    // What may be kept says so itself.
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

/** Sets them on every answer of Fastify, before anything else is done with a request. */
export function addSecurityHeaders(headers: Record<string, string>) {
  return (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers(headers);
    done();
  };
}

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i;
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * A demo has known passwords and shows its mails to anybody: it answers its own machine only, whoever may have put a
 * proxy or a tunnel in front of it.
 */
export function isFromOwnMachine(request: IncomingMessage): boolean {
  const { remoteAddress = '' } = request.socket;
  const isNear = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress);
  return (
    isNear &&
    loopback.test(request.headers.host ?? '') &&
    forwarding.every((name) => request.headers[name] === undefined)
  );
}
