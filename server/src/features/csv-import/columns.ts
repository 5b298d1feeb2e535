import type { CsvColumns, CsvDefinition } from '@roomside/contract/csv-import/calls.ts';
import { fieldsOf, type ImportType, type Mapping, noMapping } from '@roomside/contract/csv-import/fields.ts';
import {
  guessDateOrder,
  guessHasHeader,
  guessMapping,
  guessNameCase,
} from '@roomside/contract/csv-import/guess-columns.ts';
import { type FileRules, firstRecords, shownRows } from './csv-file.ts';

/** The definition with its fields as the server knows them (ENTITY-16). */
export function definitionOf(rules: Omit<CsvDefinition, 'fields'>, type: ImportType, mapping: Mapping): CsvDefinition {
  const { fileId, encoding, separator, hasHeader, dateOrder, shortYears, nameCase, sendReminders = false } = rules;
  const fields = fieldsOf[type].map((field) => ({ ...field, columnIdx: mapping[field.name] }));
  const own = type === 'Appointment' ? { sendReminders } : {};
  return { fileId, encoding, separator, hasHeader, dateOrder, shortYears, nameCase, ...own, fields };
}

/** The definition before a file is there. */
export const blankDefinition = (type: ImportType): CsvDefinition =>
  definitionOf(
    {
      fileId: 0,
      encoding: 'utf-8',
      separator: ',',
      hasHeader: true,
      dateOrder: 'mdy',
      shortYears: 'refuse',
      nameCase: 'keep',
    },
    type,
    noMapping,
  );

interface OfFile {
  readonly fileId: number;
  readonly head: Buffer;
  /** `head` is the whole file. */
  readonly isWhole: boolean;
  readonly today: string;
  readonly timeZone: string;
  readonly type: ImportType;
}

/** Returns the columns of a file, its first rows, and what they probably are. */
export async function describeColumns(
  { fileId, head, isWhole, today, timeZone, type }: OfFile,
  rules: FileRules,
): Promise<CsvColumns> {
  const { rows, places } = shownRows(await firstRecords(head, rules, isWhole));
  const hasHeader = guessHasHeader(rows, type);
  const [header = []] = rows;
  const data = hasHeader ? rows.slice(1) : rows;
  const mapping = guessMapping(hasHeader ? header : header.map(() => ''), data, type);
  const guessed = {
    dateOrder: guessDateOrder(data, mapping.doB, mapping.start, mapping.validFrom, mapping.validUntil),
    nameCase: guessNameCase(data, mapping),
    shortYears: 'refuse' as const,
  };
  return {
    fileId,
    type,
    columns: header.map((name, columnIdx) => ({ columnIdx, header: name.trim() })),
    definition: definitionOf({ fileId, ...rules, hasHeader, ...guessed }, type, mapping),
    rows,
    places,
    today,
    timeZone,
  };
}
