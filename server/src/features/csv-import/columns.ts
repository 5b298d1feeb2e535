import type { CsvColumns, CsvDefinition } from '@roomside/contract/csv-import/calls.ts';
import { type Mapping, noMapping, patientFields } from '@roomside/contract/csv-import/fields.ts';
import {
  guessDateOrder,
  guessHasHeader,
  guessMapping,
  guessNameCase,
} from '@roomside/contract/csv-import/guess-columns.ts';
import { type FileRules, firstRecords, shownRows } from './csv-file.ts';

/** The definition with its fields as the server knows them (ENTITY-16). */
export function definitionOf(rules: Omit<CsvDefinition, 'fields'>, mapping: Mapping): CsvDefinition {
  const { fileId, encoding, separator, hasHeader, dateOrder, shortYears, nameCase } = rules;
  const fields = patientFields.map((field) => ({ ...field, columnIdx: mapping[field.name] }));
  return { fileId, encoding, separator, hasHeader, dateOrder, shortYears, nameCase, fields };
}

/** The definition before a file is there. */
export const blankDefinition: CsvDefinition = definitionOf(
  {
    fileId: 0,
    encoding: 'utf-8',
    separator: ',',
    hasHeader: true,
    dateOrder: 'mdy',
    shortYears: 'refuse',
    nameCase: 'keep',
  },
  noMapping,
);

interface OfFile {
  readonly fileId: number;
  readonly head: Buffer;
  /** `head` is the whole file. */
  readonly isWhole: boolean;
  readonly today: string;
}

/** Returns the columns of a file, its first rows, and what they probably are. */
export async function describeColumns({ fileId, head, isWhole, today }: OfFile, rules: FileRules): Promise<CsvColumns> {
  const rows = shownRows(await firstRecords(head, rules, isWhole));
  const hasHeader = guessHasHeader(rows);
  const [header = []] = rows;
  const data = hasHeader ? rows.slice(1) : rows;
  const mapping = guessMapping(hasHeader ? header : header.map(() => ''), data);
  const guessed = {
    dateOrder: guessDateOrder(data, mapping.doB),
    nameCase: guessNameCase(data, mapping),
    shortYears: 'refuse' as const,
  };
  return {
    fileId,
    columns: header.map((name, columnIdx) => ({ columnIdx, header: name.trim() })),
    definition: definitionOf({ fileId, ...rules, hasHeader, ...guessed }, mapping),
    rows,
    today,
  };
}
