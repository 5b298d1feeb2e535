import * as z from 'zod/mini';
import { call } from '../call.ts';
import { date, id, idOrZero, line } from '../shape.ts';
import { fieldNames, importTypes } from './fields.ts';
import { problemCodes } from './problems.ts';
import { dateOrders, encodings, nameCases, rowFaults, separators, shortYears } from './reading.ts';

/** The maximum size of a file, bytes. */
export const maxCsvBytes = 1024 * 1024 * 1024;
/** How long an import can be undone, days. The files of an import are deleted then, too. */
export const undoDays = 7;
/** Columns that can be mapped; further ones are not offered. */
export const maxColumns = 300;
/** Rows that are shown beside the mapping. */
export const sampleRows = 20;
/** Problems that are shown on the screen; all are in the CSV of the wrong rows. */
export const shownProblems = 100;

const columnIdx = z.nullable(z.int().check(z.nonnegative(), z.lt(maxColumns)));

/** How the bytes of a file become rows. */
const fileRules = {
  encoding: z.enum(encodings),
  separator: z.enum(separators),
  hasHeader: z.boolean(),
};
const valueRules = { dateOrder: z.enum(dateOrders), shortYears: z.enum(shortYears), nameCase: z.enum(nameCases) };

/**
 * ENTITY-16. `fileId` 0 = no file yet. The server knows `description`, `mappable` and `requiredInGroup`: those that are sent are ignored.
 * `sendReminders` (of appointments only): their patients get the reminders of the clinic before each.
 */
export const csvDefinition = z.object({
  fileId: idOrZero,
  ...fileRules,
  ...valueRules,
  sendReminders: z.optional(z.boolean()),
  fields: z
    .array(
      z.object({
        name: z.enum(fieldNames),
        description: z.optional(line(100)),
        mappable: z.optional(z.boolean()),
        requiredInGroup: z.optional(z.nullable(z.int())),
        columnIdx,
      }),
    )
    .check(z.maxLength(fieldNames.length)),
});
export type CsvDefinition = z.infer<typeof csvDefinition>;

/** ENTITY-16: the columns of a file, its first rows (the header included) as they are in the file, and what is guessed. */
const csvColumns = z.object({
  fileId: z.int(),
  type: z.enum(importTypes),
  columns: z.array(z.object({ columnIdx: z.int(), header: z.string() })),
  definition: csvDefinition,
  rows: z.array(z.array(z.string())),
  /** Where each of these rows begins in the file, and why it will be refused whatever stands in its cells. */
  places: z.array(z.object({ line: z.int(), fault: z.nullable(z.enum(rowFaults)) })),
  /** The company's day: birth dates are not after it. */
  today: date,
  /** The company's zone, in which times are read. */
  timeZone: z.string(),
});
export type CsvColumns = z.infer<typeof csvColumns>;

/** CALL-30. */
export const getCsvDefinition = call({
  name: 'getCsvDefinition',
  summary: 'The fields that the columns of a CSV file can be mapped to.',
  method: 'GET',
  path: '/api/csv/definition',
  who: ['A'],
  query: z.object({ type: z.enum(importTypes) }),
  result: csvDefinition,
});

/** CALL-30: a form with one file, or the file alone with its name in the query. `type`: default 'Patient'. It replaces the caller's earlier file that was not imported. */
export const uploadCsv = call({
  name: 'uploadCsv',
  summary: 'Stores a CSV file and returns its columns.',
  method: 'POST',
  path: '/api/csv/files',
  who: ['A'],
  query: z.object({ name: z.optional(line(200)), type: z.optional(z.enum(importTypes)) }),
  upload: { maxBytes: maxCsvBytes, types: ['*/*'], form: true },
  result: csvColumns,
  refusals: ['not-csv', 'first-row', 'too-large', 'cut-off', 'too-slow', 'wrong-media'],
});

const params = z.object({ fileId: id });

/** The columns when the file is read in another way. */
export const getCsvColumns = call({
  name: 'getCsvColumns',
  summary: 'The columns and first rows of a stored CSV file in another encoding or with another separator.',
  method: 'GET',
  path: '/api/csv/files/:fileId/columns',
  who: ['A'],
  params,
  query: z.object({ encoding: fileRules.encoding, separator: fileRules.separator }),
  result: csvColumns,
});

/** Reads the whole file and says what an import would do. Writes nothing of it. */
export const checkCsv = call({
  name: 'checkCsv',
  summary: 'Checks a whole CSV file before it is imported.',
  method: 'POST',
  path: '/api/csv/check',
  who: ['A'],
  body: csvDefinition,
  refusals: ['import-running'],
});

/** CALL-30: imports a file that was checked with the same definition. `records` is the number of rows that will be imported. */
export const parseCsv = call({
  name: 'parseCsv',
  summary: 'Imports the rows of a CSV file that was checked.',
  method: 'POST',
  path: '/api/csv/parse',
  who: ['A'],
  body: csvDefinition,
  result: z.object({ records: z.int() }),
  refusals: ['import-running', 'check-first'],
});

/** `uploaded`, `checked`: waits for the user. `checking`, `importing`, `undoing`: a worker has it; one per company. Others: over. */
export const importStates = [
  'uploaded',
  'checking',
  'checked',
  'importing',
  'done',
  'cancelled',
  'undoing',
  'undone',
  'failed',
] as const;
/** States in which a worker has something to do. */
export const runningStates = ['checking', 'importing', 'undoing'] as const;

const progress = {
  fileId: z.int(),
  type: z.enum(importTypes),
  state: z.enum(importStates),
  /** 0 to 100, of what runs. */
  percent: z.int(),
  rows: z.int(),
  /** Of a check: what an import would do. Of an import: what it did. */
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  wrong: z.int(),
  doubled: z.int(),
  /** Undone: what stayed, because it is in use or was edited. */
  kept: z.int(),
};

/** No patient's data, and no row in the audit log: for asking every second. */
export const getCsvProgress = call({
  name: 'getCsvProgress',
  summary: 'How far an import is. Without fileId: the one that runs in the caller’s company.',
  method: 'GET',
  path: '/api/csv/progress',
  who: ['A'],
  query: z.object({ fileId: z.optional(id) }),
  result: z.object({ import: z.nullable(z.object(progress)) }),
});
export type CsvProgress = NonNullable<z.infer<(typeof getCsvProgress)['result']>['import']>;

const summary = {
  ...progress,
  fileName: z.string(),
  by: z.object({ firstName: z.string(), lastName: z.string() }),
  uploadedAt: z.string(),
  finishedAt: z.nullable(z.string()),
  /** Until then it can be undone; null = it cannot. */
  undoUntil: z.nullable(z.string()),
  /** The wrong rows can be downloaded. */
  hasWrongRows: z.boolean(),
};

export const listCsvImports = call({
  name: 'listCsvImports',
  summary: 'The last 50 imports of the company, newest first.',
  method: 'GET',
  path: '/api/csv/imports',
  who: ['A'],
  result: z.object({ data: z.array(z.object(summary)) }),
});
export type CsvSummary = z.infer<(typeof listCsvImports)['result']>['data'][number];

/** With the first problems, in the order of the file. */
export const getCsvImport = call({
  name: 'getCsvImport',
  summary: 'One import with the first wrong rows.',
  method: 'GET',
  path: '/api/csv/imports/:fileId',
  who: ['A'],
  params,
  result: z.object({
    ...summary,
    definition: csvDefinition,
    /** The last row has no line break behind it: the file may be cut off there. */
    isCutOff: z.boolean(),
    problems: z.array(
      z.object({
        line: z.int(),
        columnIdx: z.nullable(z.int()),
        code: z.enum(problemCodes),
        detail: z.int(),
        /** What stands in the column; '' for a problem of the whole row. */
        value: z.string(),
      }),
    ),
  }),
});
export type CsvImport = z.infer<(typeof getCsvImport)['result']>;

/** Rows as in the file, with line and reason in two further columns. It can be corrected and uploaded. */
export const downloadWrongRows = call({
  name: 'downloadWrongRows',
  summary: 'The rows that were not imported, as CSV.',
  method: 'GET',
  path: '/api/csv/imports/:fileId/wrong-rows',
  who: ['A'],
  params,
  format: 'bytes',
});

/**
 * Stops what runs. A check ends, and the file stays. An import ends after the rows of the moment: `keep` leaves what is done so far, otherwise
 * it is undone. A file that was not imported is deleted.
 */
export const cancelCsvImport = call({
  name: 'cancelCsvImport',
  summary: 'Cancels an import, or deletes an uploaded file.',
  method: 'POST',
  path: '/api/csv/imports/:fileId/cancel',
  who: ['A'],
  params,
  body: z.object({ keep: z.boolean() }),
});

/** For what was not edited since and is not in use: new patients and appointments are archived, updated patients get their earlier values. */
export const undoCsvImport = call({
  name: 'undoCsvImport',
  summary: 'Undoes an import of the last seven days.',
  method: 'POST',
  path: '/api/csv/imports/:fileId/undo',
  who: ['A'],
  params,
  refusals: ['import-running'],
});

/** What can be exported in the format that the import reads. */
export const exportTypes = ['Patient', 'Appointment'] as const;
export type ExportType = (typeof exportTypes)[number];

/** All patients, or all appointments, with the columns that the import recognizes: to import it again changes nothing. */
export const exportCsv = call({
  name: 'exportCsv',
  summary: 'All patients or appointments as CSV, in the format of the import.',
  method: 'GET',
  path: '/api/csv/export',
  who: ['A'],
  query: z.object({ type: z.enum(exportTypes) }),
  format: 'text/csv',
});
