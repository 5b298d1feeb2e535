import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { type PlannedRow, type Planning, refuse } from './kind.ts';

/** A time of a provider that a row takes; instants ISO. */
export interface Span {
  readonly doctorId: number;
  readonly from: string;
  readonly to: string;
  /** The first and the last day on which it applies, YYYY-MM-DD; null = no bound. */
  readonly days: readonly [string | null, string | null];
}

/**
 * Refuses rows that take a time which an earlier row of the file takes, in the order of the file. The check notes what each row takes; the import
 * compares the rows of a step with each other only: what earlier steps have created is stored.
 */
export async function refuseTaken<P extends PlannedRow>(
  tx: Tx,
  planned: readonly P[],
  { isImport, claimed }: Planning,
  spansOf: (one: P) => readonly Span[],
): Promise<(P | PlannedRow)[]> {
  const asked = planned.flatMap((one) => spansOf(one).map((span) => ({ line: one.row.line, span })));
  const earlier = isImport ? new Map<number, number>() : await takenBefore(tx, claimed, asked);
  const accepted: LinedSpan[] = [];
  const result = planned.map((one): P | PlannedRow => {
    const spans = spansOf(one);
    const taken = spans.flatMap((span) => accepted.find((other) => isOverlap(other.span, span))?.line ?? []);
    const line = earlier.get(one.row.line) ?? taken[0];
    if (line !== undefined) return { row: one.row, plan: refuse('overlap-row', line) };
    accepted.push(...spans.map((span) => ({ line: one.row.line, span })));
    return one;
  });
  if (!isImport) await addSpans(tx, claimed, accepted);
  return result;
}

interface LinedSpan {
  readonly line: number;
  readonly span: Span;
}

function isOverlap(one: Span, other: Span): boolean {
  const isBefore = (end: string | null, start: string | null) => end !== null && start !== null && end < start;
  return (
    one.doctorId === other.doctorId &&
    one.from < other.to &&
    other.from < one.to &&
    !isBefore(one.days[1], other.days[0]) &&
    !isBefore(other.days[1], one.days[0])
  );
}

const arraysOf = (spans: readonly LinedSpan[]) => sql`unnest(${spans.map(({ line }) => line)}::bigint[],
  ${spans.map(({ span }) => span.doctorId)}::bigint[], ${spans.map(({ span }) => span.from)}::timestamptz[],
  ${spans.map(({ span }) => span.to)}::timestamptz[], ${spans.map(({ span }) => span.days[0])}::date[],
  ${spans.map(({ span }) => span.days[1])}::date[]) as n(line, doctor_id, from_at, to_at, from_day, to_day)`;

/** Returns the earlier line that takes a time of a line. */
async function takenBefore(
  tx: Tx,
  { importId }: Planning['claimed'],
  spans: readonly LinedSpan[],
): Promise<Map<number, number>> {
  if (spans.length === 0) return new Map();
  const asked = spans.map(({ line, span }) => {
    const { doctorId, from, to, days } = span;
    return { l: line, d: doctorId, s: from, e: to, f: days[0], u: days[1] };
  });
  const { rows } = await sql<{ line: number; earlier: number }>`
    select * from taken_spans(${importId}, ${JSON.stringify(asked)}::jsonb)`.execute(tx);
  return new Map(rows.map(({ line, earlier }) => [line, earlier]));
}

async function addSpans(
  tx: Tx,
  { companyId, importId }: Planning['claimed'],
  spans: readonly LinedSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await sql`insert into import_spans (company_id, import_id, line, doctor_id, during, days)
    select ${companyId}, ${importId}, line, doctor_id, tstzrange(from_at, to_at), daterange(from_day, to_day, '[]')
    from ${arraysOf(spans)}`.execute(tx);
}
