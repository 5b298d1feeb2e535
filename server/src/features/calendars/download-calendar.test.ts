import { afterAll, expect, test } from 'vitest';
import { calendarOf, startCalendarServer } from '../../../test/calendar-server.ts';
import { isPublicAddress } from '../../platform/public-addresses.ts';
import { readSettings } from '../../platform/settings.ts';
import { CalendarUnread, calendarUrl, downloadCalendar } from './download-calendar.ts';

const server = await startCalendarServer();
afterAll(() => server.close());
const listed = { settings: readSettings({ EXTERNAL_CALENDAR_HOSTS: '127.0.0.1' }) };
const product = { settings: readSettings({}) };
const none = { etag: '', lastModified: '' };

const problemOf = (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'none',
      (error: unknown) => (error instanceof CalendarUnread ? error.problem : String(error)),
    );

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
  ...['240.0.0.1', '255.255.255.255', '192.0.0.1', '198.18.0.1'],
  ...['::', '::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '::ffff:127.0.0.1', '::127.0.0.1'],
  ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', '::ffff:0:127.0.0.1'],
])('%s: is not in the public network', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8'])('%s: is in the public network', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['https://127.0.0.1/a.ics', 'private'],
  ['https://[::1]/a.ics', 'private'],
  ['https://[::ffff:10.0.0.1]/a.ics', 'private'],
  ['https://169.254.169.254/latest/meta-data', 'private'],
  // Numbers of other forms are the same address.
  ['https://2130706433/a.ics', 'private'],
  ['https://0x7f.1/a.ics', 'private'],
  // A name that resolves to this machine: found while connecting.
  ['https://localhost/a.ics', 'private'],
  ['webcal://localhost/a.ics', 'private'],
  ['http://127.0.0.1/a.ics', 'not-https'],
  ['ftp://example.com/a.ics', 'not-https'],
  ['file:///etc/passwd', 'not-https'],
  ['calendar', 'address'],
])('%s: is refused as %s', async (address, expected) => {
  expect(await problemOf(() => downloadCalendar(product, calendarUrl(product, address), none))).toBe(expected);
});

test('calendarUrl: takes webcal:// and webcals:// as https://', () => {
  expect(calendarUrl(product, ' webcal://example.com/a.ics').href).toBe('https://example.com/a.ics');
  expect(calendarUrl(product, 'WEBCALS://example.com/a.ics').href).toBe('https://example.com/a.ics');
});

test('downloadCalendar: returns the text with its version, and null for a version that is current', async () => {
  server.serve(calendarOf());
  const url = calendarUrl(listed, `${server.url}/a.ics`);
  const found = await downloadCalendar(listed, url, none);
  expect(found).toMatchObject({ text: calendarOf(), etag: expect.stringMatching(/^"v/) });
  expect(await downloadCalendar(listed, url, { etag: found?.etag ?? '', lastModified: '' })).toBe(null);
});

test('downloadCalendar: follows redirects, but none to a private network or without https', async () => {
  const problemAt = (location: string) => {
    server.answer((request, response) =>
      request.url === '/final'
        ? void response.writeHead(200).end(calendarOf())
        : void response.writeHead(302, { location }).end(),
    );
    return problemOf(() => downloadCalendar(listed, calendarUrl(listed, `${server.url}/a.ics`), none));
  };
  expect(await problemAt('/final')).toBe('none');
  expect(await problemAt('https://10.0.0.1/a.ics')).toBe('private');
  expect(await problemAt('https://localhost/a.ics')).toBe('private');
  expect(await problemAt('http://example.com/a.ics')).toBe('not-https');
  expect(await problemAt('/again')).toBe('redirects');
});

test.each([
  [404, 'refused'],
  [401, 'refused'],
  [500, 'unreachable'],
  [429, 'unreachable'],
])('downloadCalendar: an answer %i is %s', async (status, expected) => {
  server.answer((_request, response) => void response.writeHead(status).end());
  expect(await problemOf(() => downloadCalendar(listed, calendarUrl(listed, server.url), none))).toBe(expected);
});

test('downloadCalendar: stops after 5 MB, whatever the server says about the size', async () => {
  let sent = 0;
  server.answer((_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && sent < 50_000_000) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536, 'x'))) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  expect(await problemOf(() => downloadCalendar(listed, calendarUrl(listed, server.url), none))).toBe('too-large');
  expect(sent).toBeLessThan(50_000_000);
});

test('downloadCalendar: a server that closes the connection, or is not there, is unreachable', async () => {
  server.answer((_request, response) => void response.destroy());
  const closed = await startCalendarServer();
  await closed.close();
  for (const address of [server.url, closed.url])
    expect(await problemOf(() => downloadCalendar(listed, calendarUrl(listed, address), none))).toBe('unreachable');
});
