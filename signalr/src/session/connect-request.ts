import type { IncomingMessage } from 'node:http';

/** Returns the query without `id` and `access_token`. */
export function publicSearch(params: URLSearchParams): string {
  const rest = new URLSearchParams();
  for (const [key, value] of params) {
    const name = key.toLowerCase();
    if (name !== 'id' && name !== 'access_token') rest.append(key, value);
  }
  return rest.toString();
}

/** Hop-by-hop headers and secrets. */
const privateHeaders = new Set([
  'authorization',
  'connection',
  'content-length',
  'keep-alive',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-version',
  'transfer-encoding',
  'upgrade',
  'x-signalr-forwarded',
]);

/** Returns the headers that the application may read: `name: value`, one per line. */
export function publicHeaders({ headers }: IncomingMessage): string {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!privateHeaders.has(name)) lines.push(`${name}: ${Array.isArray(value) ? value.join(', ') : value}`);
  }
  return lines.join('\n');
}

/** Parses the result of {@link publicHeaders}. */
export function readHeaders(text: string): Record<string, string> {
  const lines = text === '' ? [] : text.split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const separator = line.indexOf(': ');
      return [line.slice(0, separator), line.slice(separator + 2)];
    }),
  );
}
