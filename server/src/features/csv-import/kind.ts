import type { RowProblem } from '@roomside/contract/csv-import/problems.ts';
import type { ReadRow, RowRules } from '@roomside/contract/csv-import/read-row.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import type { Claimed, ImportRow, Parts } from './claimed.ts';

/** A row of the file with what was read of it. */
export interface FileRow<Value = unknown> {
  /** The number of its record, from 0. */
  readonly no: number;
  readonly line: number;
  readonly cells: readonly string[];
  readonly value: Value | null;
  /** Empty when `value` was read. */
  readonly problems: readonly RowProblem[];
}

/** What an import does with a row: `keep` = what the row says is there. */
export type Plan =
  | { readonly kind: 'create' | 'update' | 'keep' }
  | { readonly kind: 'refuse'; readonly problems: readonly RowProblem[] };

export interface PlannedRow<Value = unknown, P extends Plan = Plan> {
  readonly row: FileRow<Value>;
  readonly plan: P;
}

/** The plan of a row that is not imported for a reason of the whole row. */
export const refuse = (code: RowProblem['code'], detail = 0) =>
  ({ kind: 'refuse', problems: [{ code, columnIdx: null, detail }] }) as const;

/** The ids of what a step of an import has written. */
export interface Written {
  readonly created: readonly number[];
  readonly updated: readonly number[];
}

/** What a step of an undoing has done. */
export interface Undone {
  readonly archived: readonly number[];
  readonly restored: readonly number[];
  /** How many are left as they are. */
  readonly kept: number;
  /** The last one that was looked at; undefined when there are no more. */
  readonly last: number | undefined;
}

export interface Planning {
  /** False = the check, which writes nothing but its notes. Otherwise what is found is locked until the end of the transaction. */
  readonly isImport: boolean;
  readonly claimed: Claimed;
  /** The row of the import. */
  readonly row: ImportRow;
}

/**
 * What differs between imports of patients, appointments and others. The rest (upload, mapping, check, steps, claim, counts, wrong rows) is
 * common. Written as methods, so that each kind has its own types of rows and plans.
 */
export interface ImportKind<Value = unknown, P extends Plan = Plan> {
  readRow(cells: readonly string[], rules: RowRules): ReadRow<Value>;
  /** Says what becomes of rows. The same rows get the same plans in the check and in the import, unless something has changed between. */
  planRows(
    tx: Tx,
    context: Parts,
    rows: readonly FileRow<Value>[],
    planning: Planning,
  ): Promise<PlannedRow<Value, P>[]>;
  /** Texts of a row that is not refused: two rows of a file with a common one are of the same patient or the like. */
  keysOf(row: FileRow<Value>, plan: P): readonly (readonly string[])[];
  /** The id of what a plan has found; undefined = nothing. */
  foundId(plan: P): number | undefined;
  /** The reason of a row that is about the same as an earlier one. */
  readonly double: 'double' | 'same-row';
  /** Refuses rows that take a time which an earlier row of the file takes, by `overlap-row`. Called after doubles were refused. */
  refuseTaken?(tx: Tx, planned: readonly PlannedRow<Value, P>[], planning: Planning): Promise<PlannedRow[]>;
  write(tx: Tx, context: Parts, row: ImportRow, planned: readonly PlannedRow<Value, P>[]): Promise<Written>;
  /** The steps of an undoing, one after another; each is repeated until it has looked at all. */
  readonly undo: readonly ((tx: Tx, context: Parts, row: ImportRow, afterCommit: AfterCommit) => Promise<Undone>)[];
  /** Actions of the audit log, and the ids in their rows. */
  readonly audited: {
    readonly write: 'importPatients' | 'importAppointments' | 'importHours';
    readonly undo: 'undoImport' | 'undoAppointments' | 'undoHours';
    written(of: Written): Readonly<Record<string, readonly number[]>>;
    undone(of: Undone): Readonly<Record<string, readonly number[]>>;
  };
}
