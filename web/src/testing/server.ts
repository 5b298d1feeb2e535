import { type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import { vi } from 'vitest';

/** A request that a test's server received. */
export interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  headers: Headers;
}

export type Handlers = Record<string, (asked: Asked) => unknown>;

/**
 * Replaces the server at fetch: 'METHOD /path' to its response. A value is sent as JSON with 200, a Response as it is; a
 * handler that throws means that the network is down.
 */
export function fakeServer(handlers: Handlers): { asked: Asked[]; handlers: Handlers } {
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    init.signal?.throwIfAborted();
    const url = new URL(input, 'http://localhost');
    const one: Asked = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
      headers: new Headers(init.headers),
    };
    asked.push(one);
    const handler = handlers[`${one.method} ${one.path}`];
    if (!handler) return problem(404, 'not-found');
    const aborted = new Promise<never>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
    // A limit may end after the response.
    aborted.catch(() => undefined);
    const answer = await Promise.race([handler(one), aborted]);
    if (answer instanceof Response) return answer;
    return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
  });
  return { asked, handlers };
}

/** A refusal in the server's format. */
export function problem(status: number, code: RefusalCode, more: object = {}): Response {
  return Response.json({ type: 'about:blank', title: refusals[code].text, status, code, ...more }, { status });
}

/** An access token with these claims; its signature is not checked here. */
export function accessToken(claims: object = {}): string {
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const iat = Math.floor(Date.now() / 1000);
  const all = {
    sub: '7',
    company: 1,
    roles: 'D',
    given_name: 'Ada',
    family_name: 'Lee',
    sn: 's1',
    iat,
    exp: iat + 600,
    ...claims,
  };
  return `${part({ alg: 'none' })}.${part(all)}.${iat}${Math.random()}`;
}
