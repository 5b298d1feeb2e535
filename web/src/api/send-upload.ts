import type { Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import type { Problem } from '@roomside/contract/refusals.ts';
import { callUrl } from './call-url.ts';
import { OfflineError, ProblemError } from './problem.ts';
import { freshToken } from './sign-in.ts';

export interface UploadInput<C extends Call> {
  params?: ParamsOf<C>;
  query?: QueryOf<C>;
  content: Blob | FormData;
}

interface UploadOptions {
  /** The SHA-256 of the content, base64: the server compares it (RFC 9530). */
  sha256?: string;
  /** Bytes that the browser has sent, of all. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

/**
 * Sends a call whose body is a file, or a form with one. XMLHttpRequest, because fetch reports no progress of uploads. After a 401 the token is renewed and
 * the upload repeated, once. Throws ProblemError, OfflineError, or the signal's reason when aborted.
 */
export async function sendUpload<C extends Call>(
  call: C,
  { content, ...input }: UploadInput<C>,
  options: UploadOptions = {},
): Promise<ResultOf<C>> {
  const url = callUrl(call, input);
  const token = await freshToken();
  if (!token) throw new ProblemError({ status: 401, code: 'not-signed-in' });
  const attempt = (by: string) => exchange(call.method, url, content, by, options);
  try {
    return (await attempt(token)) as ResultOf<C>;
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
    const renewed = await freshToken(token);
    if (!renewed) throw error;
    return (await attempt(renewed)) as ResultOf<C>;
  }
}

function exchange(
  method: string,
  url: string,
  content: Blob | FormData,
  token: string,
  { sha256, onProgress, signal }: UploadOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('authorization', `Bearer ${token}`);
    // The browser names the boundary of a form.
    if (content instanceof Blob) request.setRequestHeader('content-type', content.type || 'application/octet-stream');
    if (sha256 !== undefined) request.setRequestHeader('content-digest', `sha-256=:${sha256}:`);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total);
    request.onload = () => {
      const body = jsonOf(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body);
      else
        reject(new ProblemError({ ...retryAfterOf(request), ...(body as Partial<Problem>), status: request.status }));
    };
    request.onerror = () => reject(new OfflineError('The server cannot be reached.'));
    request.onabort = () => reject(signal?.reason ?? new DOMException('', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(content);
  });
}

/** Returns undefined for a text that is no object of JSON, such as a proxy's page. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterOf(request: XMLHttpRequest): { retryAfter?: number } {
  const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? { retryAfter: seconds } : {};
}
