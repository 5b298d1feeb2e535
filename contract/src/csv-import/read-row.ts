import type { FieldName, Mapping } from './fields.ts';
import type { RowProblem } from './problems.ts';
import {
  areCapitals,
  capitalize,
  type ReadValue,
  readBirthDate,
  readEmail,
  readExternalId,
  readName,
  readPhones,
  splitName,
} from './read-values.ts';
import type { ValueRules } from './reading.ts';

/** A patient as a row says. */
export interface PatientOfRow {
  readonly firstName: string;
  readonly lastName: string;
  /** YYYY-MM-DD */
  readonly birthDate: string;
  /** '' = the row has none. */
  readonly email: string;
  readonly externalId: string;
  /** Ten digits each. */
  readonly phones: readonly string[];
}

/** What was read of a row. Values that could not be read are absent, and named by `problems`. */
export interface ReadRow<Values = unknown> {
  readonly values: Partial<Values>;
  readonly problems: readonly RowProblem[];
}

export interface RowRules extends ValueRules {
  readonly mapping: Mapping;
  /** The number of columns; null = not checked. */
  readonly columns: number | null;
  /** The company's day, YYYY-MM-DD. */
  readonly today: string;
}

/** Reads a patient of the cells of a row. A row with a problem is not imported. */
export function readPatientRow(cells: readonly string[], rules: RowRules): ReadRow<PatientOfRow> {
  const { mapping, columns } = rules;
  const problems: RowProblem[] = [];
  if (columns !== null && cells.length < columns) return refused('cells-missing', cells.length);
  if (columns !== null && cells.slice(columns).some((cell) => cell.trim() !== ''))
    return refused('cells-extra', cells.length);
  const cellOf = (field: FieldName) => {
    const column = mapping[field];
    return column === null ? undefined : (cells[column] ?? '');
  };
  function value<T>(field: FieldName, read: (cell: string) => ReadValue<T>, absent: T | undefined): T | undefined {
    const cell = cellOf(field);
    if (cell === undefined) return absent;
    const result = read(cell);
    if ('value' in result) return result.value;
    problems.push({ code: result.problem, columnIdx: mapping[field], detail: result.detail ?? 0 });
    return undefined;
  }
  const names = readNames(rules, value);
  const birthDate = value('doB', (cell) => readBirthDate(cell, rules, rules.today), undefined);
  const lists = (['phone', 'phone2', 'phone3'] as const).map((field) => value(field, readPhones, []));
  const phones = lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined;
  const email = value('email', readEmail, '');
  const externalId = value('externalId', readExternalId, '');
  if (phones?.length === 0 && email === '') problems.push({ code: 'contact', columnIdx: null, detail: 0 });
  const values = { ...names, birthDate, email, externalId, phones };
  return { values: Object.fromEntries(Object.entries(values).filter(([, read]) => read !== undefined)), problems };
}

const refused = (code: RowProblem['code'], detail: number) => ({
  values: {},
  problems: [{ code, columnIdx: null, detail }],
});

type Read = <T>(field: FieldName, read: (cell: string) => ReadValue<T>, absent: T | undefined) => T | undefined;

function readNames({ mapping, nameCase }: RowRules, value: Read): Partial<PatientOfRow> {
  const isOneColumn = mapping.firstName !== null && mapping.firstName === mapping.lastName;
  const split = isOneColumn ? value('firstName', splitName, undefined) : undefined;
  const name = (field: 'firstName' | 'lastName') => {
    if (!isOneColumn) return value(field, readName, undefined);
    return split && value(field, () => readName(split[field]), undefined);
  };
  const [firstName, lastName] = [name('firstName'), name('lastName')];
  const isShouted = nameCase === 'capitalize' && areCapitals(firstName ?? '', lastName ?? '');
  const written = (text: string) => (isShouted ? capitalize(text) : text);
  return {
    ...(firstName !== undefined && { firstName: written(firstName) }),
    ...(lastName !== undefined && { lastName: written(lastName) }),
  };
}
