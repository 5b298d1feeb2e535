import { Readable } from 'node:stream';
import { type FieldName, fieldNames, fieldsOf, type Mapping } from '@roomside/contract/csv-import/fields.ts';
import { guessHasHeader, guessMapping } from '@roomside/contract/csv-import/guess-columns.ts';
import { readAppointmentRow } from '@roomside/contract/csv-import/read-appointment.ts';
import { readHoursRow } from '@roomside/contract/csv-import/read-hours.ts';
import { readPatientRow } from '@roomside/contract/csv-import/read-row.ts';
import { describe, expect, test } from 'vitest';
import { compareReaders, pick, type Random, randomCsv, randomFile, randomOf } from '../../../test/random-csv.ts';
import { CsvReader } from '../../platform/csv-reader.ts';
import { Refusal } from '../../platform/refusal.ts';
import { describeColumns } from './columns.ts';
import { guessSeparator, UploadWatch } from './csv-file.ts';

/** `IMPORT_FILES=10000 npx vitest run --project server server/src/features/csv-import/random-files.test.ts` */
const files = Number(process.env.IMPORT_FILES ?? 300);
const today = '2026-11-22';
const timeZone = 'America/New_York';

const randomMapping = (random: Random, columns: number): Mapping =>
  Object.fromEntries(
    fieldNames.map((name) => [name, random() < 0.2 ? null : Math.floor(random() * columns)]),
  ) as Mapping;

/** Pieces of days, times, ranges and offsets, right and wrong. */
const days = [
  ...[
    '11/5/2026',
    '2026-11-01',
    '2026-03-08',
    '13/13/2026',
    '0000-01-01',
    '12/31/9999',
    'Nov 5, 2026',
    '20261105',
    '1/1/70',
  ],
];
const times = ['9:00', '09:30', '2:30 PM', '24:00', '99:99', '23:59:59.999', '02:30:00', '9 am', '0930', '1:30'];
const offsets = ['', 'Z', '-05:00', ' -05:00', '-0500', '+14:00', '+99:99', '-09:30', '+00:00', '-24:00'];
const timePieces = [
  ...[...days, ...times, ...offsets],
  ...['-', '+', '\u2013', ' to ', 'T', ' ', ', '],
  ...['Mon', 'Mon-Fri', '30', '1 h', "'", '\ufffd', '\u0000', 'Cancelled', 'Ann', 'x@x.test'],
];

/** Reads a file as the upload and the import do. Returns how many rows were read and refused; undefined: the file was refused. */
async function readFile(bytes: Buffer, random: Random): Promise<{ read: number; refused: number } | undefined> {
  const watch = new UploadWatch();
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = at + 1 + Math.floor(random() * 2000);
    pieces.push(bytes.subarray(at, next));
    at = next;
  }
  try {
    for await (const piece of watch.watch(Readable.from(pieces, { objectMode: true })))
      expect(piece.length).toBeGreaterThan(0);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  const { encoding } = watch;
  const separator = await guessSeparator(bytes, encoding, true);
  const columns = await describeColumns(
    { fileId: 1, head: bytes, isWhole: true, today, timeZone, type: 'Patient' },
    { encoding, separator },
  );
  expect(columns.rows.length).toBeLessThanOrEqual(21);
  const reader = new CsvReader(separator);
  const text = new TextDecoder(encoding).decode(bytes);
  const records = [...reader.write(text), ...reader.end()];
  const rows = records.map(({ cells }) => cells);
  const hasHeader = guessHasHeader(rows);
  const mapping = guessMapping(hasHeader ? (rows[0] ?? []) : (rows[0] ?? []).map(() => ''), rows.slice(1, 20));
  const rules = {
    mapping,
    timeZone,
    columns: rows[0]?.length ?? 0,
    today,
    dateOrder: 'mdy',
    shortYears: 'refuse',
    nameCase: 'keep',
  } as const;
  let [read, refused] = [0, 0];
  const lines = text.split(/\r\n|\n|\r/).length;
  for (const { cells, line, lastLine, fault } of records) {
    // Each answer names its place.
    expect(line).toBeGreaterThan(0);
    expect(lastLine).toBeLessThanOrEqual(lines);
    const { values, problems } = readPatientRow(cells, rules);
    // Whatever the columns are mapped to.
    for (const readRow of [readAppointmentRow, readHoursRow])
      expect(readRow(cells, { ...rules, columns: null, mapping: randomMapping(random, cells.length) })).toBeDefined();
    if (fault !== null || problems.length > 0) refused += 1;
    else {
      read += 1;
      expect(values.firstName ?? '').not.toBe('');
      expect([values.firstName, values.lastName, values.email].join('')).not.toMatch(/\p{Cc}|\ufffd/u);
    }
  }
  return { read, refused };
}

describe('random files', () => {
  test(`${files} random files: none fails, and each is read or refused`, async () => {
    const random = randomOf(11);
    let [isRead, isRefused] = [0, 0];
    for (let file = 0; file < files; file += 1) {
      const result = await readFile(randomFile(random), random);
      if (result) isRead += 1;
      else isRefused += 1;
    }
    expect(isRead).toBeGreaterThan(files / 2);
    expect(isRefused).toBeGreaterThan(files / 50);
  }, 600_000);

  test('random times: rows of appointments and hours are read or refused, and what is read is in the order of time', () => {
    const random = randomOf(13);
    let isRead = 0;
    const cellOf = () =>
      random() < 0.5
        ? pick(random, days) + pick(random, [' ', 'T', ', ']) + pick(random, times) + pick(random, offsets)
        : Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, timePieces)).join('');
    const mappingOf = (type: 'Appointment' | 'WeeklyHours') =>
      Object.fromEntries(
        fieldNames.map((name: FieldName) => [name, fieldsOf[type].findIndex((field) => field.name === name)]),
      );
    for (let row = 0; row < files * 50; row += 1) {
      const rules = {
        columns: null,
        today,
        timeZone: pick(random, ['America/New_York', 'America/Adak', 'UTC', 'Australia/Adelaide', 'Pacific/Marquesas']),
        dateOrder: pick(random, ['mdy', 'dmy'] as const),
        ...({ shortYears: 'refuse', nameCase: 'keep' } as const),
      };
      const mapped = (type: 'Appointment' | 'WeeklyHours') =>
        Object.fromEntries(
          Object.entries(mappingOf(type)).map(([name, at]) => [name, at < 0 || random() < 0.3 ? null : at]),
        ) as Mapping;
      const cells = Array.from({ length: 12 }, () => (random() < 0.4 ? pick(random, timePieces) : cellOf()));
      const appointment = readAppointmentRow(cells, { ...rules, mapping: mapped('Appointment') }).values;
      if (appointment.startsAt !== undefined) {
        isRead += 1;
        expect(appointment.startsAt).toMatch(/^(?:19|20|21)\d\d-\d\d-\d\dT[\d:.]{12}Z$/);
        expect(appointment.minutes ?? 5).toBeGreaterThanOrEqual(5);
      }
      const { from, to, validFrom, validUntil } = readHoursRow(cells, {
        ...rules,
        mapping: mapped('WeeklyHours'),
      }).values;
      if (from !== undefined && to !== undefined) expect(from < to).toBe(true);
      for (const day of [validFrom, validUntil]) expect(day ?? today).toMatch(/^(?:19|20|21)\d\d-\d\d-\d\d$/);
    }
    expect(isRead).toBeGreaterThan(files / 3);
  }, 600_000);

  test(`${files} random files: are divided into records as csv-parse does`, () => {
    const random = randomOf(12);
    for (let file = 0; file < files; file += 1) compareReaders(randomCsv(random), random);
  }, 600_000);

  test('a gigabyte in one line: is passed in constant memory', () => {
    const reader = new CsvReader(',');
    const piece = 'x'.repeat(64 * 1024);
    const pieces = files > 1000 ? 16 * 1024 : 512;
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < pieces; at += 1) expect(reader.write(piece)).toHaveLength(0);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024);
    expect(reader.write('\na,b\n').map(({ line, fault }) => [line, fault])).toEqual([
      [1, 'too-long'],
      [2, null],
    ]);
  });
});
