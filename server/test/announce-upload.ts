import http from 'node:http';
import { type Call, fillPath } from '@roomside/contract/call.ts';
import type { Person } from './test-app.ts';

/** Sends the headers of an upload and none of its body. Returns the status of the response. */
export function announceUpload(
  url: string,
  person: Person,
  call: Call,
  input: { params?: object; query?: object; upload?: { bytes: Buffer; type: string } },
  headers: Record<string, string> = {},
): Promise<number> {
  const path = fillPath(call.path, input.params as Record<string, string | number>);
  const query = new URLSearchParams(input.query as Record<string, string>);
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}?${query}`, {
      method: call.method,
      headers: {
        'content-type': input.upload?.type ?? 'text/plain',
        'content-length': String(input.upload?.bytes.length ?? 1),
        ...(person.token !== undefined && { authorization: `Bearer ${person.token}` }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    request.flushHeaders();
  });
}
