import type { Call, ParamsOf, QueryOf, ResultOf } from '@roomside/contract/call.ts';
import { callUrl } from './call-url.ts';
import { OfflineError, ProblemError } from './problem.ts';
import { freshToken } from './sign-in.ts';

export interface UploadInput<C extends Call> {
  params?: ParamsOf<C>;
  query?: QueryOf<C>;
  content: Blob;
}

interface UploadOptions {
  /** 0 to 100, of what the browser has sent. */
  onProgress?: (percent: number) => void;
  signal?: AbortSignal;
}

/**
 * Sends a call whose body is a file. XMLHttpRequest, because fetch reports no progress of uploads. After a 401 the token is renewed and
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
  content: Blob,
  token: string,
  { onProgress, signal }: UploadOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('content-type', content.type || 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? Math.round((loaded / total) * 100) : 0);
    request.onload = () => {
      const body = jsonOf(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body);
      else reject(new ProblemError({ ...(body as object), status: request.status }));
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
