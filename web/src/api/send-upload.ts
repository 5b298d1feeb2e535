import type { Call, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import type { Problem } from '@roomside/contract/refusals.ts';
import { callUrl } from './call-url.ts';
import { OfflineError, ProblemError } from './problem.ts';
import { freshToken } from './sign-in.ts';

interface UploadOptions {
  /** The SHA-256 of the body, base64: the server compares it (RFC 9530). */
  sha256?: string;
  /** Bytes sent so far; fetch reports none. */
  onProgress?: (sent: number) => void;
  signal?: AbortSignal;
}

/**
 * Sends a call whose body is a file, with the tab's access token. After a 401 the token is renewed and the call repeated, once.
 * Throws ProblemError, OfflineError, or the signal's reason when aborted.
 */
export async function sendUpload<C extends Call>(
  call: C,
  input: { params?: object; query?: QueryOf<C> },
  body: Blob,
  options: UploadOptions = {},
): Promise<ResultOf<C>> {
  const url = callUrl(call, input);
  const token = await freshToken();
  if (!token) throw new ProblemError({ status: 401, code: 'not-signed-in' });
  try {
    return (await exchange(call.method, url, token, body, options)) as ResultOf<C>;
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
    const renewed = await freshToken(token);
    if (!renewed) throw error;
    return (await exchange(call.method, url, renewed, body, options)) as ResultOf<C>;
  }
}

function exchange(
  method: string,
  url: string,
  token: string,
  body: Blob,
  { sha256, onProgress, signal }: UploadOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('authorization', `Bearer ${token}`);
    if (body.type !== '') request.setRequestHeader('content-type', body.type);
    if (sha256 !== undefined) request.setRequestHeader('content-digest', `sha-256=:${sha256}:`);
    request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
    request.onerror = () => reject(new OfflineError('The server cannot be reached.'));
    request.onabort = () => reject(signal?.reason ?? new OfflineError('The upload was aborted.'));
    request.onload = () => {
      const answer = jsonOf(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(answer);
      else
        reject(new ProblemError({ ...retryAfterOf(request), ...(answer as Partial<Problem>), status: request.status }));
    };
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    if (signal?.aborted) request.onabort(new ProgressEvent('abort'));
    else request.send(body);
  });
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // A proxy's page: only the status is used.
    return undefined;
  }
}

function retryAfterOf(request: XMLHttpRequest): { retryAfter?: number } {
  const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? { retryAfter: seconds } : {};
}
