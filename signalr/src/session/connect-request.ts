import type { IncomingMessage } from 'node:http';

/** What the application may see of a connection's query. */
export function publicSearch(params: URLSearchParams): string {
  const rest = new URLSearchParams();
  for (const [key, value] of params) {
    const name = key.toLowerCase();
    if (name !== 'id' && name !== 'access_token') rest.append(key, value);
  }
  return rest.toString();
}

/** Of one line of TCP, or secret. */
const privateHeaders = new Set([
  ...['authorization', 'connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'],
  ...['sec-websocket-extensions', 'sec-websocket-key', 'sec-websocket-version', 'x-signalr-forwarded'],
]);

/** What the application may see of a connection's headers: `name: value`, a line each. */
export function publicHeaders({ headers }: IncomingMessage): string {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!privateHeaders.has(name)) lines.push(`${name}: ${Array.isArray(value) ? value.join(', ') : value}`);
  }
  return lines.join('\n');
}

/** The reverse of {@link publicHeaders}. */
export function readHeaders(text: string): Record<string, string> {
  const lines = text === '' ? [] : text.split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const mark = line.indexOf(': ');
      return [line.slice(0, mark), line.slice(mark + 2)];
    }),
  );
}
