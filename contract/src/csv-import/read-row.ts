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
  /** The company's zone. */
  readonly timeZone: string;
}

/** Reads the cells of a row by their fields, and collects the problems. */
export interface Cells {
  /** Reads a field. `absent`: the value of a field without a column. undefined = it has a problem. */
  value<T>(field: FieldName, read: (cell: string) => ReadValue<T>, absent: T | undefined): T | undefined;
  /** The cell of a field; '' without a column. */
  text(field: FieldName): string;
  readonly problems: RowProblem[];
}

/** Returns the reader of a row, or why the row cannot be divided into its fields. */
export function cellsOf(
  cells: readonly string[],
  { mapping, columns }: Pick<RowRules, 'mapping' | 'columns'>,
): Cells | { values: object; refused: RowProblem[] } {
  if (columns !== null && cells.length < columns) return refused('cells-missing', cells.length);
  if (columns !== null && cells.slice(columns).some((cell) => cell.trim() !== ''))
    return refused('cells-extra', cells.length);
  const problems: RowProblem[] = [];
  const cellOf = (field: FieldName) => {
    const column = mapping[field];
    return column === null ? undefined : (cells[column] ?? '');
  };
  return {
    problems,
    text: (field) => cellOf(field) ?? '',
    value(field, read, absent) {
      const cell = cellOf(field);
      if (cell === undefined) return absent;
      const result = read(cell);
      if ('value' in result) return result.value;
      problems.push({ code: result.problem, columnIdx: mapping[field], detail: result.detail ?? 0 });
      return undefined;
    },
  };
}

const refused = (code: RowProblem['code'], detail: number) => ({
  values: {},
  refused: [{ code, columnIdx: null, detail }],
});

/** The values that were read, without those that have a problem. */
export const present = <V extends object>(values: { [K in keyof V]: V[K] | undefined }): Partial<V> =>
  Object.fromEntries(Object.entries(values).filter(([, read]) => read !== undefined)) as Partial<V>;

/** Reads a patient of the cells of a row. A row with a problem is not imported. */
export function readPatientRow(cells: readonly string[], rules: RowRules): ReadRow<PatientOfRow> {
  const row = cellsOf(cells, rules);
  if ('refused' in row) return { values: {}, problems: row.refused };
  const { value, problems } = row;
  const names = readNames(rules, value);
  const birthDate = value('doB', (cell) => readBirthDate(cell, rules, rules.today), undefined);
  const lists = (['phone', 'phone2', 'phone3'] as const).map((field) => value(field, readPhones, []));
  const phones = lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined;
  const email = value('email', readEmail, '');
  const externalId = value('externalId', readExternalId, '');
  if (phones?.length === 0 && email === '') problems.push({ code: 'contact', columnIdx: null, detail: 0 });
  const { firstName, lastName } = names;
  return { values: present({ firstName, lastName, birthDate, email, externalId, phones }), problems };
}

/** The names of a person, in two columns or in one. `read` reads one of them. */
export function readNames(
  { mapping, nameCase }: Pick<RowRules, 'mapping' | 'nameCase'>,
  value: Cells['value'],
  read = readName,
): Partial<Pick<PatientOfRow, 'firstName' | 'lastName'>> {
  const isOneColumn = mapping.firstName !== null && mapping.firstName === mapping.lastName;
  const split = isOneColumn ? value('firstName', splitName, undefined) : undefined;
  const name = (field: 'firstName' | 'lastName') => {
    if (!isOneColumn) return value(field, read, undefined);
    return split && value(field, () => read(split[field]), undefined);
  };
  const [firstName, lastName] = [name('firstName'), name('lastName')];
  const isShouted = nameCase === 'capitalize' && areCapitals(firstName ?? '', lastName ?? '');
  const written = (text: string) => (isShouted ? capitalize(text) : text);
  return {
    ...(firstName !== undefined && { firstName: written(firstName) }),
    ...(lastName !== undefined && { lastName: written(lastName) }),
  };
}
