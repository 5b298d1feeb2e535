import { describe, expect, test } from 'vitest';
import { mappingOf, missingFields, noMapping } from './fields.ts';
import { guessDateOrder, guessHasHeader, guessMapping, guessNameCase } from './guess-columns.ts';
import { type RowRules, readPatientRow } from './read-row.ts';
import {
  capitalize,
  cellText,
  readBirthDate,
  readEmail,
  readExternalId,
  readPhones,
  splitName,
} from './read-values.ts';

const today = '2026-11-22';
const us = { dateOrder: 'mdy', shortYears: 'refuse' } as const;
const world = { dateOrder: 'dmy', shortYears: 'refuse' } as const;

describe('readBirthDate', () => {
  test.each([
    ['1980-12-31', '1980-12-31'],
    ['1980-1-5', '1980-01-05'],
    ['1980/01/05', '1980-01-05'],
    ['19800105', '1980-01-05'],
    ['01/05/1980', '1980-01-05'],
    ['1/5/1980', '1980-01-05'],
    ['1.5.1980', '1980-01-05'],
    ['1-5-80', '1980-01-05'],
    ['Jan 5, 1980', '1980-01-05'],
    ['January 5th, 1980', '1980-01-05'],
    ['5-Jan-1980', '1980-01-05'],
    ['05 Sept 80', '1980-09-05'],
    ['1980-01-05 00:00:00', '1980-01-05'],
    ['1980-01-05T00:00:00.000Z', '1980-01-05'],
    ['1/5/1980 12:00:00 AM', '1980-01-05'],
    ['1/5/1980 0:00', '1980-01-05'],
    [' 02/29/2000 ', '2000-02-29'],
  ])('%s: is %s', (cell, value) => {
    expect(readBirthDate(cell, us, today)).toEqual({ value });
  });

  test.each([
    ['', 'required'],
    ['someday', 'date'],
    ['29224', 'date'],
    ['2/30/1980', 'date-day'],
    ['02/29/1900', 'date-day'],
    ['0/5/1980', 'date-day'],
    ['13/05/1980', 'date-order'],
    ['13/13/1980', 'date-day'],
    ['1980-13-05', 'date-day'],
    ['01/05/26', 'short-year'],
    ['01/05/05', 'short-year'],
    ['11/23/2026', 'date-future'],
    ['01/05/1880', 'date-old'],
    ['1/5/1980 14:30', 'date-time'],
    ['1/5/1980 12:00 PM', 'date-time'],
    ['1980-01-\ufffd5', 'unreadable'],
  ])('%s: is refused (%s)', (cell, problem) => {
    expect(readBirthDate(cell, us, today)).toEqual({ problem });
  });

  test('reads day and month in the order that was chosen, and short years of the century that was chosen', () => {
    expect(readBirthDate('13/05/1980', world, today)).toEqual({ value: '1980-05-13' });
    expect(readBirthDate('05/13/1980', world, today)).toEqual({ problem: 'date-order' });
    expect(readBirthDate('01/05/05', { ...us, shortYears: '1900' }, today)).toEqual({ value: '1905-01-05' });
    expect(readBirthDate('01/05/05', { ...us, shortYears: '2000' }, today)).toEqual({ value: '2005-01-05' });
    // Would be in the future in the 2000s.
    expect(readBirthDate('01/05/27', { ...us, shortYears: '2000' }, today)).toEqual({ value: '1927-01-05' });
  });
});

describe('readPhones', () => {
  test.each([
    ['(212) 555-0123', ['2125550123']],
    ['212-555-0123', ['2125550123']],
    ['212.555.0123', ['2125550123']],
    ['212 555 0123', ['2125550123']],
    ['2125550123', ['2125550123']],
    ['+1 212 555 0123', ['2125550123']],
    ['+12125550123', ['2125550123']],
    ['1-212-555-0123', ['2125550123']],
    ['1 (212) 555 0123', ['2125550123']],
    ['001 212 555 0123', ['2125550123']],
    ['011 1 212 555 0123', ['2125550123']],
    ['tel:+1-212-555-0123', ['2125550123']],
    ['Cell: 212-555-0123', ['2125550123']],
    ['(h) 212-555-0123', ['2125550123']],
    ['212-555-0123 (mobile)', ['2125550123']],
    ['2125550123.0', ['2125550123']],
    ['212\u2011555\u20110123', ['2125550123']],
    ['212-555-0123 / 917-555-0199', ['2125550123', '9175550199']],
    ['212-555-0123; 212.555.0123', ['2125550123']],
    ['', []],
    ['N/A', []],
    ['-', []],
  ])('%s: is %j', (cell, value) => {
    expect(readPhones(cell)).toEqual({ value });
  });

  test.each([
    ['555-0123', 'phone'],
    ['1-800-FLOWERS', 'phone'],
    ['+44 20 7946 0958', 'phone'],
    ['+47 22 12 34 56', 'phone'],
    ['+45 33 12 34 56', 'phone'],
    ['+65 6234 5678', 'phone'],
    ['+64 9 300 1234', 'phone'],
    ['+354 581 2345', 'phone'],
    ['011 47 22 12 34 56', 'phone'],
    ['011-212-555-0123', 'phone'],
    ['+212 555 0123 45', 'phone'],
    ['+2125550123', 'phone'],
    ['+001 212 555 0123', 'phone'],
    ['001 1 212 555 0123', 'phone'],
    ['tel:+4722123456', 'phone'],
    ['cell: +47 22 12 34 56', 'phone'],
    ['212-555-0123; +47 22 12 34 56', 'phone'],
    ['012-555-0123', 'phone'],
    ['212-155-0123', 'phone'],
    ['212-555-0123 ext 5', 'phone-extension'],
    ['212-555-0123 x12', 'phone-extension'],
    ['2.12555E+09', 'phone-shortened'],
    ['call after 5', 'phone'],
    [';', 'phone'],
  ])('%s: is refused (%s)', (cell, problem) => {
    expect(readPhones(cell)).toEqual({ problem });
  });
});

describe('other values', () => {
  test.each([
    ['Lee, Ann', { firstName: 'Ann', lastName: 'Lee' }],
    ['de la Cruz, María José', { firstName: 'María José', lastName: 'de la Cruz' }],
    ['Ann Lee', { firstName: 'Ann', lastName: 'Lee' }],
  ])('splitName: divides %s', (cell, value) => {
    expect(splitName(cell)).toEqual({ value });
  });
  test.each([
    ['Ann Mary Lee', 'name-split'],
    ['Ann', 'name-split'],
    ['Lee, Ann, MD', 'name-split'],
    [', Ann', 'name-split'],
    ['', 'required'],
  ])('splitName: refuses %s', (cell, problem) => {
    expect(splitName(cell)).toEqual({ problem });
  });
  test.each([
    ["O'BRIEN-LEE III", "O'Brien-Lee III"],
    ['ANNA MARIA', 'Anna Maria'],
    ['ÅSA', 'Åsa'],
    ['DE LA CRUZ', 'De La Cruz'],
  ])('capitalize: writes %s as %s', (name, written) => {
    expect(capitalize(name)).toBe(written);
  });
  test('cellText: leaves a formula as it is, and takes an apostrophe off that guards one', () => {
    expect(cellText("=cmd|' /C calc'!A0")).toBe("=cmd|' /C calc'!A0");
    expect(cellText("'=1+2")).toBe('=1+2');
    expect(cellText("''tis")).toBe("'tis");
    expect(cellText("'t Hooft")).toBe("'t Hooft");
  });
  test('readEmail and readExternalId: read, leave out, refuse', () => {
    expect(readEmail(' mailto:ann@x.test ')).toEqual({ value: 'ann@x.test' });
    expect(readEmail('none')).toEqual({ value: '' });
    expect(readEmail('ann@x')).toEqual({ problem: 'email' });
    expect(readEmail('ann@x.test; bob@x.test')).toEqual({ problem: 'email' });
    expect(readExternalId('0012')).toEqual({ value: '0012' });
    expect(readExternalId('x'.repeat(51))).toEqual({ problem: 'max-length', detail: 50 });
    expect(readExternalId('4111 1111 1111 1111')).toEqual({ problem: 'card-number' });
  });
});

describe('readPatientRow', () => {
  const rules: RowRules = {
    timeZone: 'America/New_York',
    mapping: { ...noMapping, firstName: 0, lastName: 1, doB: 2, phone: 3, email: 4 },
    columns: 5,
    today,
    ...us,
    nameCase: 'keep',
  };
  const good = ['Ann', 'Lee', '1/5/1980', '(212) 555-0123', ''];

  test('reads a row, and names of one column', () => {
    expect(readPatientRow(good, rules)).toEqual({
      values: {
        firstName: 'Ann',
        lastName: 'Lee',
        birthDate: '1980-01-05',
        email: '',
        externalId: '',
        phones: ['2125550123'],
      },
      problems: [],
    });
    const mapping = { ...rules.mapping, lastName: 0 };
    const { values } = readPatientRow(['LEE, ANN', '', ...good.slice(2)], {
      ...rules,
      mapping,
      nameCase: 'capitalize',
    });
    expect(values).toMatchObject({ firstName: 'Ann', lastName: 'Lee' });
  });

  test('names every problem of a row with its column', () => {
    expect(readPatientRow(['', 'Le\u0000e', '1/32/1980', '12', 'x@'], rules).problems).toEqual([
      { code: 'required', columnIdx: 0, detail: 0 },
      { code: 'hidden', columnIdx: 1, detail: 0 },
      { code: 'date-day', columnIdx: 2, detail: 0 },
      { code: 'phone', columnIdx: 3, detail: 0 },
      { code: 'email', columnIdx: 4, detail: 0 },
    ]);
    expect(readPatientRow(['Ann', 'Lee', '1/5/1980', '', 'N/A'], rules).problems).toEqual([
      { code: 'contact', columnIdx: null, detail: 0 },
    ]);
  });

  test('refuses rows of another length, unless what is too much is empty', () => {
    expect(readPatientRow(good.slice(0, 4), rules).problems).toEqual([
      { code: 'cells-missing', columnIdx: null, detail: 4 },
    ]);
    expect(readPatientRow([...good, 'x'], rules).problems).toEqual([
      { code: 'cells-extra', columnIdx: null, detail: 6 },
    ]);
    expect(readPatientRow([...good, ' '], rules).problems).toEqual([]);
  });

  test('stores a formula as it stands in the file', () => {
    const { values, problems } = readPatientRow(['=cmd()', '@SUM(A1)', ...good.slice(2)], rules);
    expect([values.firstName, values.lastName, problems]).toEqual(['=cmd()', '@SUM(A1)', []]);
  });
});

describe('guesses', () => {
  const columnsOf = (header: string, ...rows: string[]) => {
    const mapping = guessMapping(
      header.split(','),
      rows.map((row) => row.split(',')),
    );
    return Object.fromEntries(
      Object.entries(mapping)
        .filter(([, column]) => column !== null)
        .map(([field, column]) => [field, header.split(',')[column ?? -1]]),
    );
  };
  test('columns: are guessed by their headers, in several spellings and languages', () => {
    expect(columnsOf('pid,fname,lname,DOB,phone_home,phone_cell,phone_biz,email')).toEqual({
      externalId: 'pid',
      firstName: 'fname',
      lastName: 'lname',
      doB: 'DOB',
      phone: 'phone_cell',
      phone2: 'phone_home',
      phone3: 'phone_biz',
      email: 'email',
    });
    expect(columnsOf('Nachname,Vorname,Geburtsdatum,Telefon,E-Mail')).toEqual({
      lastName: 'Nachname',
      firstName: 'Vorname',
      doB: 'Geburtsdatum',
      phone: 'Telefon',
      email: 'E-Mail',
    });
    expect(columnsOf('Prénom,Nom,Date de naissance,Courriel')).toMatchObject({ firstName: 'Prénom', lastName: 'Nom' });
    expect(columnsOf('Nombre,Apellidos,Fecha de nacimiento,Móvil')).toMatchObject({
      doB: 'Fecha de nacimiento',
      phone: 'Móvil',
    });
    for (const externalId of ['External ID', 'External Id']) expect(columnsOf(externalId)).toEqual({ externalId });
    expect(columnsOf('Patient Name,Birth Date,Home Phone')).toMatchObject({
      firstName: 'Patient Name',
      lastName: 'Patient Name',
      phone: 'Home Phone',
    });
  });
  test('columns with unknown headers: are guessed by their values', () => {
    expect(columnsOf('a;b;c;d'.replaceAll(';', ','), 'Lee,1/5/1980,ann@x.test,212-555-0123')).toEqual({
      doB: 'b',
      email: 'c',
      phone: 'd',
    });
  });
  test('header row, order of dates and capitals of names: are guessed from the rows', () => {
    expect(
      guessHasHeader([
        ['First Name', 'x'],
        ['Ann', 'y'],
      ]),
    ).toBe(true);
    expect(guessHasHeader([['Ann', 'Lee', '1/5/1980']])).toBe(false);
    expect(guessDateOrder([['13/05/1980'], ['01/02/1980']], 0)).toBe('dmy');
    expect(guessDateOrder([['01/02/1980']], 0)).toBe('mdy');
    const mapping = { ...noMapping, firstName: 0, lastName: 1 };
    expect(
      guessNameCase(
        [
          ['ANN', 'LEE'],
          ['BO', 'FOX'],
        ],
        mapping,
      ),
    ).toBe('capitalize');
    expect(guessNameCase([['Ann', 'Lee']], mapping)).toBe('keep');
  });
  test('missingFields: names required fields, and all of a group of which none is mapped', () => {
    expect(missingFields(noMapping).map(({ name }) => name)).toEqual([
      'firstName',
      'lastName',
      'doB',
      'phone',
      'email',
    ]);
    const mapping = mappingOf([
      { name: 'firstName', columnIdx: 0 },
      { name: 'lastName', columnIdx: 0 },
      { name: 'doB', columnIdx: 1 },
      { name: 'email', columnIdx: 2 },
    ]);
    expect(missingFields(mapping)).toEqual([]);
  });
});
