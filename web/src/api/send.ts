import type { BodyOf, Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import { callUrl } from './call-url.ts';
import { ProblemError } from './problem.ts';
import { readJson, request } from './request.ts';
import { freshToken, whenNoSignOutRuns } from './sign-in.ts';

type Part<Key extends string, T> = [T] extends [undefined]
  ? { [K in Key]?: undefined }
  : Record<string, never> extends T
    ? { [K in Key]?: T }
    : { [K in Key]: T };

/** The input of a call: path parameters, query and body. */
export type InputOf<C extends Call> = Part<'params', ParamsOf<C>> & Part<'query', QueryOf<C>> & Part<'body', BodyOf<C>>;

export interface SendOptions {
  signal?: AbortSignal;
  /** The server executes a creation once per key. */
  idempotencyKey?: string;
}

/** The input is optional for a call that needs none. */
export type SendArgs<C extends Call> =
  Record<string, never> extends InputOf<C>
    ? [input?: InputOf<C>, options?: SendOptions]
    : [input: InputOf<C>, options?: SendOptions];

/**
 * Sends a call of the contract with the tab's access token. After a 401 the token is renewed and the call repeated, once.
 * Throws ProblemError, OfflineError, or the signal's reason when aborted.
 */
export async function send<C extends Call>(call: C, ...args: SendArgs<C>): Promise<ResultOf<C>> {
  const timeoutMs = call.method === 'GET' ? readMs : undefined;
  return whilePending(async () => (await readJson(await exchange(call, args, timeoutMs))) as ResultOf<C>);
}

/** Sends a call that returns a file. */
export async function sendForFile<C extends Call>(
  call: C,
  ...args: SendArgs<C>
): Promise<{ blob: Blob; name: string }> {
  return whilePending(async () => {
    const response = await exchange(call, args);
    const name = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    return { blob: await response.blob(), name: name ?? call.name };
  });
}

/**
 * Time until the response to a read begins, ms; each of the server's queries ends after 15 s. A device that changes its network may wait for a
 * response that was sent to the former one.
 */
const readMs = 60_000;

let pending = 0;
const listeners = new Set<() => void>();

/** The number of calls without a result yet (MENU-5); for useSyncExternalStore. */
export const pendingCalls = {
  get: (): number => pending,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

async function whilePending<T>(work: () => Promise<T>): Promise<T> {
  const count = (by: number) => {
    pending += by;
    for (const listener of [...listeners]) listener();
  };
  count(1);
  try {
    return await work();
  } finally {
    count(-1);
  }
}

async function exchange<C extends Call>(call: C, [input, options]: SendArgs<C>, timeoutMs?: number): Promise<Response> {
  const { body } = (input ?? {}) as { body?: unknown };
  const url = callUrl(call, input);
  const attempt = (token: string | undefined) =>
    request({
      method: call.method,
      url,
      body,
      token,
      signal: options?.signal,
      timeoutMs,
      idempotencyKey: options?.idempotencyKey,
    });
  // A sign-in does not wait for the renewal of a token that it replaces.
  if (call.who === 'anyone') {
    await whenNoSignOutRuns();
    return attempt(undefined);
  }
  const token = await freshToken();
  // Without a token the server would refuse, so the call is not sent.
  if (!token) throw new ProblemError({ status: 401, code: 'not-signed-in' });
  try {
    return await attempt(token);
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
    const renewed = await freshToken(token);
    if (!renewed) throw error;
    return attempt(renewed);
  }
}

/** Offers a file as a download. */
export function saveFile({ blob, name }: { blob: Blob; name: string }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
