import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

export interface CorsOptions {
  /** Origins such as `https://app.example.org`, or a predicate. The origin of the request's own host is always allowed. */
  readonly origins: readonly string[] | ((origin: string) => boolean);
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Requested-With, X-SignalR-User-Agent',
  'Access-Control-Max-Age': '7200',
};

/** Whether the request's origin may connect. Requests without an origin do not come from a page and are allowed. */
export function originAllowed(request: IncomingMessage, { origins }: CorsOptions): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  // `=== true`: a promise, which the types forbid, does not allow the origin.
  if (typeof origins === 'function' ? origins(origin) === true : origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Returns the exact origin, never `*`, because the client sends credentials by default (SPEC.md, C rules). */
export function corsHeaders(request: IncomingMessage, options: CorsOptions): OutgoingHttpHeaders {
  const { origin } = request.headers;
  if (origin === undefined || !originAllowed(request, options)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    ...(request.method === 'OPTIONS' && preflight),
  };
}
