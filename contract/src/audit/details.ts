import { erasureReasons } from '../patients/calls.ts';
import { auditTexts, type DeletedKind, deletedNouns, type KeptKind, keptNouns } from './texts.ts';

const oneOf = (nouns: object) => `(${Object.keys(nouns).join('|')})`;
const deletedPattern = new RegExp(`^(\\d{1,9}) ${oneOf(deletedNouns)}$`);
const keptPattern = new RegExp(`^${oneOf(keptNouns)} (?:for ever|(\\d{1,4}) months)$`);

const linesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((line): line is string => typeof line === 'string') : [];

/**
 * Returns in words what the objects of an audit row say about records deleted or kept and about the reason of an erasure; null without any of
 * these. Only known kinds, numbers and reasons are shown, never a stored text.
 */
export function auditDetails({ deleted, keep, reason }: Readonly<Record<string, unknown>>): string | null {
  const counts = linesOf(deleted).flatMap((line) => {
    const [, count, kind] = deletedPattern.exec(line) ?? [];
    return count && kind ? [auditTexts.deleted(kind as DeletedKind, Number(count))] : [];
  });
  const terms = linesOf(keep).flatMap((line) => {
    const [, kind, months] = keptPattern.exec(line) ?? [];
    return kind ? [auditTexts.kept(kind as KeptKind, months === undefined ? null : Number(months))] : [];
  });
  const known = erasureReasons.find((one) => one === reason);
  if (counts.length > 0) return auditTexts.allDeleted(counts);
  if (terms.length > 0) return auditTexts.allKept(terms);
  return known ? auditTexts.reason(known) : null;
}
