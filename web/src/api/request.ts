import { OfflineError, ProblemError } from './problem.ts';

interface RequestOptions {
  method: string;
  /** Path with its query. */
  url: string;
  body?: unknown;
  token?: string | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Time until the response begins, ms. After it the server counts as out of reach. */
  timeoutMs?: number | undefined;
}

/** Requests that were started before their code was loaded, by method, URL and body. */
const started = new Map<string, Promise<Response>>();
const keyOf = ({ method, url, body }: RequestOptions) => `${method} ${url} ${JSON.stringify(body)}`;

/** Starts a request; the next equal `request` takes its response. */
export function startRequest(options: Pick<RequestOptions, 'method' | 'url' | 'body'>): void {
  const response = exchange(options);
  started.set(keyOf(options), response);
  // The request that takes it handles the error.
  response.catch(() => undefined);
}

/** Drops unused responses: their page was left before it was loaded. */
export function dropStartedRequests(): void {
  started.clear();
}

/** Sends one request. Throws ProblemError, OfflineError, or the signal's reason when it was aborted. */
export async function request(options: RequestOptions): Promise<Response> {
  if (started.size > 0 && options.token === undefined) {
    const key = keyOf(options);
    const response = started.get(key);
    started.delete(key);
    if (response) return response;
  }
  return exchange(options);
}

async function exchange(options: RequestOptions): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  if (options.token) headers.set('authorization', `Bearer ${options.token}`);
  if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
  const init: RequestInit = { method: options.method, headers, cache: 'no-store', credentials: 'same-origin' };
  const { signal, done } = limitOf(options);
  init.signal = signal;
  if (options.body instanceof FormData || options.body instanceof Blob) {
    init.body = options.body;
  } else if (options.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(options.body);
  }
  const response = await fetch(options.url, init)
    .catch((cause: unknown) => {
      options.signal?.throwIfAborted();
      throw new OfflineError('The server cannot be reached.', { cause });
    })
    .finally(done);
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** A signal that is aborted with the request's, or after its time unless `done` was called. */
function limitOf({ signal, timeoutMs }: RequestOptions): { signal: AbortSignal | null; done: () => void } {
  if (timeoutMs === undefined) return { signal: signal ?? null, done: () => undefined };
  const limit = new AbortController();
  if (signal?.aborted) limit.abort(signal.reason);
  signal?.addEventListener('abort', () => limit.abort(signal.reason), { once: true });
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  return { signal: limit.signal, done: () => clearTimeout(timer) };
}

/** Returns the response's JSON; undefined without a body. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204 || response.headers.get('content-length') === '0') return undefined;
  const text = await response.text().catch((cause: unknown) => {
    throw new OfflineError('The answer was cut off.', { cause });
  });
  return text === '' ? undefined : JSON.parse(text);
}

async function problemOf(response: Response): Promise<ProblemError> {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? { retryAfter: seconds } : {};
  try {
    const body: unknown = await response.json();
    if (typeof body === 'object' && body !== null) return new ProblemError({ ...retryAfter, ...body, status });
  } catch {
    // Not the server's format, e.g. a proxy's page: only the status is used.
  }
  return new ProblemError({ ...retryAfter, status });
}
