import { describe, expect, test } from 'vitest';
import { type ImportType, mappingOf, missingFields, noMapping } from './fields.ts';
import { guessMapping } from './guess-columns.ts';
import { readAppointmentRow } from './read-appointment.ts';
import { readHoursRow, readWeekdays } from './read-hours.ts';
import type { RowRules } from './read-row.ts';
import { instantOf, readLength, readMoment, readTimeOfDay } from './read-times.ts';

const rules = (mapping: Partial<RowRules['mapping']>): RowRules => ({
  mapping: { ...noMapping, ...mapping },
  columns: null,
  today: '2026-11-23',
  timeZone: 'America/New_York',
  dateOrder: 'mdy',
  shortYears: 'refuse',
  nameCase: 'keep',
});

describe('reading times', () => {
  test.each([
    ['14:30', '14:30:00.000'],
    ['2:30 PM', '14:30:00.000'],
    ['2:30p.m.', '14:30:00.000'],
    ['2 pm', '14:00:00.000'],
    ['12:05 am', '00:05:00.000'],
    ['12 PM', '12:00:00.000'],
    ['0930', '09:30:00.000'],
    ['9:05:07.12', '09:05:07.120'],
  ])('a time of day: %s', (cell, value) => {
    expect(readTimeOfDay(cell)).toEqual({ value });
  });

  test.each(['10', '25:00', '13:00 PM', '0:30 AM', '9:60', '2430', 'noon', '1:2'])('no time of day: %s', (cell) => {
    expect(readTimeOfDay(cell)).toEqual({ problem: 'time' });
  });

  test.each([
    ['11/5/2026 2:30 PM', '2026-11-05', '14:30:00.000', null],
    ['2026-11-05T14:30', '2026-11-05', '14:30:00.000', null],
    ['2026-11-05 14:30:00Z', '2026-11-05', '14:30:00.000', 'Z'],
    ['2026-11-05 01:30 -0500', '2026-11-05', '01:30:00.000', '-05:00'],
    ['Thursday, Nov 5, 2026 2pm', '2026-11-05', '14:00:00.000', null],
    ['5-Nov-26, 9:00', '2026-11-05', '09:00:00.000', null],
    ['20261105 09:00', '2026-11-05', '09:00:00.000', null],
  ])('a moment: %s', (cell, day, time, offset) => {
    expect(readMoment(cell, { dateOrder: 'mdy' })).toEqual({ value: { day, time, offset } });
  });

  test.each([
    ['', 'required'],
    ['11/5/2026', 'time-missing'],
    ['31/12/2026 9:00', 'date-order'],
    ['2/30/2026 9:00', 'date-day'],
    ['someday', 'date'],
    ['01-05-2026', 'time-missing'],
  ])('no moment: %s', (cell, problem) => {
    expect(readMoment(cell, { dateOrder: 'mdy' })).toEqual({ problem });
  });

  test.each([
    '11/5/2026 09:00-09:30',
    '11/5/2026 22:00-24:00',
    '11/5/2026 9:00+99:99',
    '11/5/2026 09:00 -09:30',
    '11/5/2026 9:00 - 9:30',
    '11/5/2026 9:00\u20139:30 AM',
    '11/5/2026 9 AM - 10 AM',
    '11/5/2026 09:00 to 09:30',
    '11/5/2026 09:00:00-09:30',
    '2026-11-05 09:00-05:00',
    '2026-11-05 09:00 -04:00',
    '2026-11-05 09:00 -00:00',
    '2026-11-05T09:00:00-99:99',
    '2026-11-05T09:00:00+05:17',
  ])('a range of times, or an offset that the clinic does not have then: %s', (cell) => {
    expect(readMoment(cell, { dateOrder: 'mdy', timeZone: 'America/New_York' })).toEqual({ problem: 'time' });
  });

  test.each([
    ['2026-11-05T09:00:00-05:00', '2026-11-05T14:00:00.000Z'],
    ['2026-11-05T09:00:00.250-08:00', '2026-11-05T17:00:00.250Z'],
    ['2026-11-05 09:00:00+0530', '2026-11-05T03:30:00.000Z'],
    ['2026-11-05T09:00-05:00', '2026-11-05T14:00:00.000Z'],
    ['2026-11-05 09:00 -05:00', '2026-11-05T14:00:00.000Z'],
    ['11/5/2026 9:00 AM -0500', '2026-11-05T14:00:00.000Z'],
    ['2026-11-01 01:30 -04:00', '2026-11-01T05:30:00.000Z'],
    ['2026-11-05 09:00+00:00', '2026-11-05T09:00:00.000Z'],
    ['2026-11-05T09:00z', '2026-11-05T09:00:00.000Z'],
  ])('a moment with an offset: %s', (cell, value) => {
    const read = readMoment(cell, { dateOrder: 'mdy', timeZone: 'America/New_York' });
    expect('value' in read && instantOf(read.value, 'America/New_York')).toEqual({ value });
  });

  test('an offset without an instant: is refused', () => {
    const at = { day: '2026-11-05', time: '09:00:00.000' };
    expect(instantOf({ ...at, offset: '-24:00' }, 'America/New_York')).toEqual({ problem: 'time' });
    expect(instantOf({ ...at, offset: '+99:99' }, 'America/New_York')).toEqual({ problem: 'time' });
  });

  test.each([
    ['2026-03-08', '02:30:00.000', null, { problem: 'time-gap' }],
    ['2026-03-08', '03:00:00.000', null, { value: '2026-03-08T07:00:00.000Z' }],
    ['2026-11-01', '01:30:00.000', null, { value: '2026-11-01T05:30:00.000Z' }],
    ['2026-11-01', '01:30:00.000', '-05:00', { value: '2026-11-01T06:30:00.000Z' }],
  ])('an instant in New York: %s %s %s', (day, time, offset, read) => {
    expect(instantOf({ day, time, offset }, 'America/New_York')).toEqual(read);
  });

  test.each([
    ['', null],
    ['30', 30],
    ['30.0', 30],
    ['45 min', 45],
    ['0:30', 30],
    ['1:30:00', 90],
    ['1 h', 60],
    ['1.5 hours', 90],
    ['1h 15m', 75],
  ])('a length: %s', (cell, value) => {
    expect(readLength(cell)).toEqual({ value });
  });

  test.each(['4', '601', '-30', 'half an hour', '12.5'])('no length: %s', (cell) => {
    expect(readLength(cell)).toEqual({ problem: 'length' });
  });
});

describe('readAppointmentRow', () => {
  const read = (cells: readonly string[], mapping: Partial<RowRules['mapping']>) => {
    const { values, problems } = readAppointmentRow(cells, rules({ provider: 0, patientExternalId: 1, ...mapping }));
    return { ...values, problems: problems.map(({ code, columnIdx }) => [code, columnIdx]) };
  };

  test('the end gives the length, over midnight too', () => {
    const mapping = { start: 2, end: 3 };
    expect(read(['Dr. A', 'X', '11/5/2026 9:00', '9:45'], mapping)).toMatchObject({ minutes: 45, problems: [] });
    expect(read(['Dr. A', 'X', '11/5/2026 23:30', '12:15 AM'], mapping)).toMatchObject({ minutes: 45 });
    expect(read(['Dr. A', 'X', '11/5/2026 9:00', '11/5/2026 8:00'], mapping).problems).toEqual([['end-order', 3]]);
    expect(read(['Dr. A', 'X', '11/5/2026 9:00', '9:02'], mapping).problems).toEqual([['length', 3]]);
    for (const end of ['11/5/2026 22:00-24:00', '11/5/2026 9:00+99:99', '9:00-9:30', '11/5/2026 09:30-10:00'])
      expect(read(['Dr. A', 'X', '11/5/2026 9:00', end], mapping).problems).toEqual([['time', 3]]);
  });

  test('day and time in two columns: are read as databases write them; a missing or wrong time is refused', () => {
    const mapping = { start: 2, time: 3 };
    const startsAt = '2026-11-05T14:30:00.000Z';
    expect(read(['A', 'X', '11/5/2026 0:00:00', '12/30/1899 9:30:00'], mapping)).toMatchObject({ startsAt });
    expect(read(['A', 'X', '11/5/2026', ''], mapping).problems).toEqual([['time-missing', 2]]);
    expect(read(['A', 'X', '11/5/2026', '09:00-09:30'], mapping).problems).toEqual([['time', 3]]);
    expect(read(['A', 'X', '11/5/2026', '2026-11-05T14:00:00Z'], mapping).problems).toEqual([['time', 3]]);
    expect(read(['A', 'X', '3/14/2027', '2:30 AM'], mapping).problems).toEqual([['time-gap', 3]]);
    expect(read(['A', 'X', '1/5/1999', '9:00'], mapping).problems).toEqual([['start-range', 3]]);
    expect(read(['A', 'X', '1/5/2036', '9:00'], mapping).problems).toEqual([['start-range', 3]]);
  });

  test.each([
    ['Cancelled', 'cancelled'],
    ['canceled by patient', 'cancelled'],
    ['No-Show', 'missed'],
    ['Checked out', 'kept'],
    ['', null],
  ])('status: %s', (status, expected) => {
    expect(read(['A', 'X', '11/5/2026 9:00', status], { start: 2, status: 3 })).toMatchObject({
      status: expected,
    });
  });

  test('row without a patient: is refused, unless the appointment has its own number', () => {
    const mapping = { start: 2, externalId: 3 };
    expect(read(['A', '', '11/5/2026 9:00', ''], mapping).problems).toEqual([['patient-needed', null]]);
    expect(read(['A', '', '11/5/2026 9:00', 'B1'], mapping).problems).toEqual([]);
  });
});

describe('weekly hours', () => {
  test.each([
    ['Monday', 0b10],
    ['Mon, Wed; Fri', 0b101010],
    ['Mon–Fri', 0b111110],
    ['monday to thursday', 0b11110],
    ['Fri-Mon', 0b1100011],
    ['Sat & Sun', 0b1000001],
    ['Weekdays', 0b111110],
    ['every day', 0b1111111],
    ['Tues/Thurs', 0b10100],
  ])('days: %s', (cell, value) => {
    expect(readWeekdays(cell)).toEqual({ value });
  });

  test.each(['Someday', 'Mon-', 'Mon-Tue-Wed', '1', 'Monkey', ','])('no days: %s', (cell) => {
    expect(readWeekdays(cell)).toEqual({ problem: 'weekday' });
  });

  test('midnight is the end of a day; what is not in whole minutes is refused', () => {
    const mapping = { provider: 0, weekday: 1, from: 2, to: 3 };
    const read = (from: string, to: string) => readHoursRow(['A', 'Mon', from, to], rules(mapping));
    expect(read('6 PM', '12:00 AM').values).toMatchObject({ from: '18:00', to: '24:00' });
    expect(read('18:00', '24:00').values).toMatchObject({ to: '24:00' });
    expect(read('9:00:30', '10:00').problems.map(({ code }) => code)).toEqual(['time']);
    expect(read('10:00', '10:00').problems.map(({ code }) => code)).toEqual(['end-order']);
  });

  test('a day of another century is refused', () => {
    const mapping = { provider: 0, weekday: 1, from: 2, to: 3, validFrom: 4, validUntil: 5 };
    const { problems } = readHoursRow(['A', 'Mon', '9:00', '10:00', '0000-01-01', '1/1/9999'], rules(mapping));
    expect(problems.map(({ code, columnIdx }) => [code, columnIdx])).toEqual([
      ['date', 4],
      ['date', 5],
    ]);
  });
});

describe('columns', () => {
  const guess = (type: ImportType, header: string, row = '') => {
    const names = header.split(',');
    const mapping = guessMapping(names, row === '' ? [] : [row.split(',')], type);
    const mapped = Object.entries(mapping).filter(([, column]) => column !== null);
    return Object.fromEntries(mapped.map(([field, column]) => [field, names[column ?? -1]]));
  };

  test('columns of appointments: are guessed by their names, and a start by its value', () => {
    expect(
      guess('Appointment', 'id,MRN,Patient,DOB,Doctor,Start Time,Duration,Appt Status', ',,,,,2026-11-05 09:00,,'),
    ).toEqual({
      externalId: 'id',
      patientExternalId: 'MRN',
      firstName: 'Patient',
      lastName: 'Patient',
      doB: 'DOB',
      provider: 'Doctor',
      start: 'Start Time',
      minutes: 'Duration',
      status: 'Appt Status',
    });
    expect(guess('Appointment', 'Client,Staff,Visit Date,Start Time,End Time', ',,11/5/2026,9:00,9:30')).toMatchObject({
      provider: 'Staff',
      start: 'Visit Date',
      time: 'Start Time',
      end: 'End Time',
    });
  });

  test('columns of weekly hours: are guessed by their names', () => {
    expect(guess('WeeklyHours', 'Name,Day of Week,Start,End,Valid From,Valid Until')).toEqual({
      provider: 'Name',
      weekday: 'Day of Week',
      from: 'Start',
      to: 'End',
      validFrom: 'Valid From',
      validUntil: 'Valid Until',
    });
  });

  test('missingFields of appointments: the patient is needed by number, or by name and birth date together', () => {
    const missing = (...mapped: string[]) =>
      missingFields(
        mappingOf(mapped.map((name, columnIdx) => ({ name: name as keyof RowRules['mapping'], columnIdx }))),
        'Appointment',
      ).map(({ name }) => name);
    expect(missing('provider', 'start', 'patientExternalId')).toEqual([]);
    expect(missing('provider', 'start', 'firstName', 'lastName')).toEqual(['patientExternalId', 'doB']);
    expect(missing('patientExternalId')).toEqual(['provider', 'start']);
  });
});
