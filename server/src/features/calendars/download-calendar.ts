import http from 'node:http';
import https from 'node:https';
import type { CalendarProblem } from '@roomside/contract/calendars/problems.ts';
import { maxCalendarBytes } from '@roomside/contract/limits.ts';
import type { Context } from '../../platform/context.ts';
import {
  AddressRefused,
  ipOf,
  isAllowedScheme,
  isListedHost,
  isPublicAddress,
  publicLookup,
} from '../../platform/public-addresses.ts';

/** An external calendar cannot be read. */
export class CalendarUnread extends Error {
  override name = 'CalendarUnread';
  readonly problem: CalendarProblem;
  constructor(problem: CalendarProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** What a server said about the version of a calendar; '' = nothing. */
export interface Version {
  readonly etag: string;
  readonly lastModified: string;
}

/** The whole download ends after this time, redirects included, ms. */
const timeoutMs = 15_000;
const maxRedirects = 3;
/** Longer values of headers are not kept. */
const maxVersion = 300;

/**
 * Returns the https address of an external calendar; webcal:// becomes https://.
 *
 * @throws CalendarUnread `address`, `not-https`
 */
export function calendarUrl({ settings }: Pick<Context, 'settings'>, address: string): URL {
  const text = address.trim().replace(/^webcals?:\/\//i, 'https://');
  if (!URL.canParse(text)) throw new CalendarUnread('address');
  const url = new URL(text);
  if (!isAllowedScheme(settings.EXTERNAL_CALENDAR_HOSTS, url.href)) throw new CalendarUnread('not-https');
  return url;
}

/**
 * Downloads an external calendar; null = it has not changed since `version`. Only public addresses are connected to, also after redirects:
 * the address is checked while connecting, so that a name cannot change it afterwards.
 *
 * @throws CalendarUnread
 */
export async function downloadCalendar(
  parts: Pick<Context, 'settings'>,
  address: URL,
  version: Version,
): Promise<(Version & { readonly text: string }) | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = address;
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const response = await request(parts, url, version, signal);
      const { statusCode: status = 0, headers } = response;
      if (status >= 300 && status < 400 && status !== 304 && headers.location) {
        response.destroy();
        url = redirected(parts, url, headers.location);
        continue;
      }
      if (status === 200) return { text: await textOf(response), ...versionOf(headers) };
      response.destroy();
      if (status === 304) return null;
      throw new CalendarUnread(status >= 500 || status === 429 ? 'unreachable' : 'refused');
    }
  } catch (error) {
    throw asUnread(error, signal);
  }
  throw new CalendarUnread('redirects');
}

function redirected(parts: Pick<Context, 'settings'>, from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new CalendarUnread('unreachable');
  return calendarUrl(parts, new URL(location, from).href);
}

function request(
  { settings }: Pick<Context, 'settings'>,
  url: URL,
  { etag, lastModified }: Version,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const isListed = isListedHost(settings.EXTERNAL_CALENDAR_HOSTS, url);
  const ip = ipOf(url);
  // Connections to IP addresses look nothing up.
  if (!isListed && ip !== null && !isPublicAddress(ip)) throw new AddressRefused('in a private network');
  const headers = {
    accept: 'text/calendar, */*;q=0.1',
    'accept-encoding': 'identity',
    'user-agent': 'Roomside',
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
  return new Promise((resolve, reject) => {
    const { get } = url.protocol === 'https:' ? https : http;
    get(url, { headers, signal, agent: false, ...(!isListed && { lookup: publicLookup }) }, resolve).on(
      'error',
      reject,
    );
  });
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxCalendarBytes) throw new CalendarUnread('too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function versionOf(headers: http.IncomingHttpHeaders): Version {
  const short = (value = '') => (value.length <= maxVersion ? value : '');
  return { etag: short(headers.etag), lastModified: short(headers['last-modified']) };
}

function asUnread(error: unknown, signal: AbortSignal): CalendarUnread {
  if (error instanceof CalendarUnread) return error;
  if (error instanceof AddressRefused) return new CalendarUnread('private', { cause: error });
  return new CalendarUnread(signal.aborted ? 'slow' : 'unreachable', { cause: error });
}
