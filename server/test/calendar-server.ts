import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of calendars elsewhere, for external calendars. */
export interface CalendarServer {
  /** http, on this machine. */
  readonly url: string;
  /** The requests so far: path and headers. */
  readonly requests: { readonly path: string; readonly headers: http.IncomingHttpHeaders }[];
  /** Sets how requests are answered from now on. */
  answer(handler: http.RequestListener): void;
  /** Answers with this calendar, and with 304 to those who have it. */
  serve(text: string): void;
  close(): Promise<void>;
}

export async function startCalendarServer(): Promise<CalendarServer> {
  const requests: CalendarServer['requests'] = [];
  let handle: http.RequestListener = (_request, response) => void response.writeHead(404).end();
  let version = 0;
  const server = http.createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (handler) => (handle = handler),
    serve(text) {
      const etag = `"v${(version += 1)}"`;
      handle = (request, response) => {
        if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
        else response.writeHead(200, { 'content-type': 'text/calendar; charset=utf-8', etag }).end(text);
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns a calendar of components, each given as lines. */
export const calendarOf = (...components: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...components, 'END:VCALENDAR', ''].join('\r\n');

/** Returns an event with these lines, such as 'DTSTART:20310304T140000Z'. */
export const eventOf = (...lines: string[]): string =>
  [
    'BEGIN:VEVENT',
    ...(lines.some((one) => one.startsWith('UID')) ? [] : ['UID:one@elsewhere.test']),
    ...lines,
    'END:VEVENT',
  ].join('\r\n');
