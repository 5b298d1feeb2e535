import { listAuditLog as call, maxAuditTotal } from '@roomside/contract/audit/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { createPageKey, readPageKey, totalOf } from '../../platform/lists.ts';
import { toAuditRows } from './audit-rows.ts';
import { conditionOf, countAuditRows, findAuditRows } from './find-audit-rows.ts';

/** Names in one row; further ones are counted. */
const maxSubjects = 3;

/** The audit log, newest first, or oldest first. Reading it is audited, with the patient it was filtered by. */
export const listAuditLog = forUsers(call, async ({ caller, query, tx, touched }) => {
  const condition = await conditionOf(tx, caller, query);
  const key = query.after ?? query.before;
  const isBefore = query.after === undefined && query.before !== undefined;
  const isOldestFirst = query.orderBy === 'at asc';
  const [at, id] = key === undefined ? [] : readPageKey(key, ['string', 'number']);
  const found = await findAuditRows(tx, condition, {
    top: query.top,
    skip: key === undefined ? query.skip : 0,
    backwards: isBefore !== isOldestFirst,
    ...(key !== undefined && { key: { at: at as string, id: id as number } }),
  });
  const isWhole = key === undefined && query.skip === 0 && found.length < query.top;
  const count = async () => (isWhole ? found.length : countAuditRows(tx, condition, maxAuditTotal));
  const total = await totalOf(query, count);
  const ordered = isBefore ? found.toReversed() : found;
  touched('auditLog', query.kind ?? 'all');
  if (query.patientId !== undefined) touched('patientId', query.patientId);
  if (query.personId !== undefined) touched('personId', query.personId);
  const [top, last] = [ordered.at(0), ordered.at(-1)];
  return {
    data: await toAuditRows(tx, ordered, { maxSubjects, first: new Set(condition.ids) }),
    total,
    ...(top && { first: createPageKey([top.occurred_at, top.audit_id]) }),
    ...(last && { last: createPageKey([last.occurred_at, last.audit_id]) }),
  };
});
