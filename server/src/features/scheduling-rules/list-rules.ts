import { listRules as call, type ruleColumns } from '@roomside/contract/scheduling-rules/calls.ts';
import { type SqlBool, sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { byName, finishPage, likePattern, pageOf, readPage, type SortKeys, splitOrder } from '../../platform/lists.ts';
import { ruleRows, toRuleRow } from './rule-rows.ts';

type Column = (typeof ruleColumns)[number];
const id = sql.ref('r.rule_id');
/** Stands for "no end" in sort keys, which must not be null. */
const noEnd = '9999-12-31';

const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  ruleId: { keys: [id], casts: ['bigint'] },
  description: { keys: [byName('r.description'), id], casts: ['text', 'bigint'] },
  from: { keys: [sql.ref('r.active_start_date'), id], casts: ['date', 'bigint'] },
  to: { keys: [sql`coalesce(r.active_end_date, ${noEnd})`, id], casts: ['date', 'bigint'] },
  created: { keys: [sql.ref('r.created_at'), id], casts: ['timestamptz', 'bigint'] },
};

/** RULES-1. */
export const listRules = forStaff(call, async ({ caller, query, tx }) => {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'ruleId asc');
  const { keys, casts } = sorts[column];
  const page = pageOf(query, keys, direction, casts);
  const words = (query.filter ?? '').trim().replace(/\s+/g, ' ');
  const matching = ruleRows(tx)
    .where('r.company_id', '=', caller.companyId)
    .$if(words !== '', (q) => q.where(sql<SqlBool>`fold(r.description) like ${likePattern(words)}`));
  const { found, total } = await readPage(matching, query, page);
  const { data, ...ends } = finishPage(found, page, (row) => {
    switch (column) {
      case 'ruleId':
        return [row.rule_id];
      case 'description':
        return [row.description, row.rule_id];
      case 'from':
        return [row.active_start_date, row.rule_id];
      case 'to':
        return [row.active_end_date ?? noEnd, row.rule_id];
      case 'created':
        return [row.created_at, row.rule_id];
    }
  });
  return { data: data.map(toRuleRow), total, ...ends };
});
