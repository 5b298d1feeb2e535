import { expect, test } from 'vitest';
import { calendarOf, eventOf } from '../../../test/calendar-server.ts';
import { type BusyError, busyEvents } from './busy-events.ts';

const from = Date.parse('2026-10-01T00:00:00Z');
const until = Date.parse('2026-12-01T00:00:00Z');
const read = (text: string, timeZone = 'America/New_York') => busyEvents({ text, timeZone, from, until });
/** 'start/end' in UTC, to the minute. */
const spans = (...components: string[]) => textsOf(read(calendarOf(...components)).busy);
const textsOf = (found: readonly { start: number; end: number }[]) =>
  found.map(({ start, end }) => [start, end].map((at) => new Date(at).toISOString().slice(0, 16)).join('/'));

/** A zone as Outlook writes it: its name is no IANA name. */
const pacific = [
  'BEGIN:VTIMEZONE',
  'TZID:Pacific Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:-0700',
  'TZOFFSETTO:-0800',
  'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:-0800',
  'TZOFFSETTO:-0700',
  'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
].join('\r\n');

const cases: readonly [title: string, components: readonly string[], expected: readonly string[]][] = [
  [
    'a time in UTC',
    [eventOf('DTSTART:20261005T140000Z', 'DTEND:20261005T150000Z')],
    ['2026-10-05T14:00/2026-10-05T15:00'],
  ],
  ['a duration', [eventOf('DTSTART:20261005T140000Z', 'DURATION:PT90M')], ['2026-10-05T14:00/2026-10-05T15:30']],
  [
    'an IANA zone without a definition',
    [eventOf('DTSTART;TZID=Europe/Berlin:20261005T090000', 'DTEND;TZID=Europe/Berlin:20261005T100000')],
    ['2026-10-05T07:00/2026-10-05T08:00'],
  ],
  [
    'a zone that the file defines, before and after its change',
    [
      pacific,
      eventOf('UID:a', 'DTSTART;TZID=Pacific Standard Time:20261030T090000', 'DURATION:PT1H'),
      eventOf('UID:b', 'DTSTART;TZID=Pacific Standard Time:20261102T090000', 'DURATION:PT1H'),
    ],
    ['2026-10-30T16:00/2026-10-30T17:00', '2026-11-02T17:00/2026-11-02T18:00'],
  ],
  [
    'a time without a zone: in the clinic’s',
    [eventOf('DTSTART:20261005T090000', 'DURATION:PT1H')],
    ['2026-10-05T13:00/2026-10-05T14:00'],
  ],
  [
    'a time without a zone: in the calendar’s when it names one',
    ['X-WR-TIMEZONE:Europe/Berlin', eventOf('DTSTART:20261005T090000', 'DURATION:PT1H')],
    ['2026-10-05T07:00/2026-10-05T08:00'],
  ],
  [
    'an unknown zone: in the clinic’s',
    [eventOf('DTSTART;TZID=Nowhere:20261005T090000', 'DURATION:PT1H')],
    ['2026-10-05T13:00/2026-10-05T14:00'],
  ],
  [
    'a whole day, of 25 hours at the change of the clock',
    [eventOf('DTSTART;VALUE=DATE:20261101', 'DTEND;VALUE=DATE:20261102')],
    ['2026-11-01T04:00/2026-11-02T05:00'],
  ],
  ['a whole day without an end', [eventOf('DTSTART;VALUE=DATE:20261005')], ['2026-10-05T04:00/2026-10-06T04:00']],
  [
    'several whole days',
    [eventOf('DTSTART;VALUE=DATE:20261005', 'DTEND;VALUE=DATE:20261008')],
    ['2026-10-05T04:00/2026-10-08T04:00'],
  ],
  [
    'a weekly series: at the same wall time after the change of the clock',
    [
      eventOf(
        'DTSTART;TZID=America/New_York:20261026T090000',
        'DTEND;TZID=America/New_York:20261026T100000',
        'RRULE:FREQ=WEEKLY;COUNT=2',
      ),
    ],
    ['2026-10-26T13:00/2026-10-26T14:00', '2026-11-02T14:00/2026-11-02T15:00'],
  ],
  [
    'a series from long ago, until a day',
    [eventOf('DTSTART:20000103T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261012T235959Z')],
    ['2026-10-05T10:00/2026-10-05T11:00', '2026-10-12T10:00/2026-10-12T11:00'],
  ],
  [
    'a series that has ended before',
    [eventOf('DTSTART:20200101T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20210101T000000Z')],
    [],
  ],
  [
    'excluded occurrences, also after exclusions that exclude nothing',
    [
      eventOf(
        'DTSTART:20261005T100000Z',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=4',
        'EXDATE:20261006T090000Z,20261006T093000Z,20261006T100000Z',
        'EXDATE;VALUE=DATE:20261008',
      ),
    ],
    ['2026-10-05T10:00/2026-10-05T11:00', '2026-10-07T10:00/2026-10-07T11:00'],
  ],
  [
    'the first occurrence excluded',
    [eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20261005T100000Z')],
    ['2026-10-06T10:00/2026-10-06T11:00'],
  ],
  [
    'an additional date',
    [eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H', 'RDATE:20261009T120000Z')],
    ['2026-10-05T10:00/2026-10-05T11:00', '2026-10-09T12:00/2026-10-09T13:00'],
  ],
  [
    'an occurrence that was moved, and ones that were cancelled or freed',
    [
      eventOf('UID:s', 'DTSTART;TZID=America/New_York:20261005T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'),
      eventOf(
        'UID:s',
        'RECURRENCE-ID;TZID=America/New_York:20261006T090000',
        'DTSTART;TZID=America/New_York:20261006T120000',
        'DURATION:PT1H',
      ),
      eventOf(
        'UID:s',
        'RECURRENCE-ID:20261007T130000Z',
        'DTSTART:20261007T130000Z',
        'DURATION:PT1H',
        'STATUS:CANCELLED',
      ),
      eventOf(
        'UID:s',
        'RECURRENCE-ID:20261008T130000Z',
        'DTSTART:20261008T130000Z',
        'DURATION:PT1H',
        'TRANSP:TRANSPARENT',
      ),
    ],
    ['2026-10-05T13:00/2026-10-05T14:00', '2026-10-06T16:00/2026-10-06T17:00'],
  ],
  [
    'free, cancelled and empty events, and tasks: none',
    [
      eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'),
      eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'),
      eventOf('DTSTART:20261005T100000Z'),
      eventOf('DTSTART:20261005T100000Z', 'DTEND:20261005T090000Z'),
      'BEGIN:VTODO\r\nUID:t\r\nDTSTART:20261005T100000Z\r\nDUE:20261005T110000Z\r\nEND:VTODO',
    ],
    [],
  ],
  [
    'overlapping and adjacent events: one',
    [
      eventOf('UID:a', 'DTSTART:20261005T100000Z', 'DURATION:PT2H'),
      eventOf('UID:b', 'DTSTART:20261005T103000Z', 'DURATION:PT10M'),
      eventOf('UID:c', 'DTSTART:20261005T120000Z', 'DURATION:PT1H'),
    ],
    ['2026-10-05T10:00/2026-10-05T13:00'],
  ],
  [
    'an event that began before the span',
    [eventOf('DTSTART:20260901T000000Z', 'DTEND:20261002T000000Z')],
    ['2026-09-01T00:00/2026-10-02T00:00'],
  ],
  [
    'one event that cannot be read: the others',
    [eventOf('UID:bad', 'DTSTART:yesterday'), eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H')],
    ['2026-10-05T10:00/2026-10-05T11:00'],
  ],
];

test.each(cases)('busy times: %s', (_title, components, expected) => {
  expect(spans(...components)).toEqual(expected);
});

test('busy times: several calendars in one file, with a byte order mark', () => {
  const one = calendarOf(eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H'));
  const two = calendarOf(eventOf('DTSTART:20261006T100000Z', 'DURATION:PT1H'));
  expect(textsOf(read(`\uFEFF${one}${two}`).busy)).toHaveLength(2);
});

test('busy times: events with a UID of our form are apart', () => {
  const uid = '0123456789abcdef0123456789abcdef';
  const { busy, own } = read(calendarOf(eventOf(`UID:${uid}@Roomside`, 'DTSTART:20261005T100000Z', 'DURATION:PT1H')));
  expect([busy, own.map((event) => event.uid)]).toEqual([[], [uid]]);
});

test.each([
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR',
  'FREQ=DAILY;INTERVAL=2;BYMONTH=10',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,TU;WKST=SU',
  'FREQ=WEEKLY',
])('busy times: an old series of %s has the same occurrences as when it is followed from its beginning', (rule) => {
  const series = (end: string) =>
    spans(eventOf('DTSTART;TZID=America/New_York:20120104T233000', 'DURATION:PT45M', `RRULE:${rule}${end}`));
  const found = series('');
  expect(found.length).toBeGreaterThan(2);
  expect(found).toEqual(series(';COUNT=9999'));
});

const problem = (text: string) => {
  try {
    read(text);
  } catch (error) {
    return (error as BusyError).problem;
  }
  return 'none';
};

test.each([
  ['a page', '<!doctype html><title>Sign in</title>', 'not-calendar'],
  ['nothing', '', 'not-calendar'],
  ['half a calendar', calendarOf(eventOf('DTSTART:20261005T100000Z')).slice(0, 80), 'not-calendar'],
  ...['RDATE', 'EXDATE'].map((name) => [
    `an event with 40,000 values of ${name}`,
    calendarOf(
      eventOf(
        'DTSTART:20261005T100000Z',
        'DURATION:PT1S',
        'RRULE:FREQ=DAILY',
        `${name}:${Array(40_000).fill('20261006T100000Z')}`,
      ),
    ),
    'too-complex',
  ]),
  [
    'a series of every second',
    calendarOf(eventOf('DTSTART:19700101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY')),
    'too-complex',
  ],
  [
    'a series of every minute',
    calendarOf(eventOf('DTSTART:20261001T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=MINUTELY')),
    'too-many',
  ],
])('busy times of %s: are refused', (_title, text, expected) => {
  expect(problem(text)).toBe(expected);
});
