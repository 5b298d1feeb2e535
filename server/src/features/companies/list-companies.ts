import type { QueryOf } from '@roomside/contract/call.ts';
import { listCompanies as call, type companyColumns } from '@roomside/contract/companies/calls.ts';
import { companyStatus } from '@roomside/contract/companies/status.ts';
import { type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { fold } from '../../platform/fold.ts';
import { forUsersAhead } from '../../platform/http/handler.ts';
import {
  byName,
  countRows,
  finishPage,
  likePattern,
  pageOf,
  pageStatement,
  type SortKeys,
  splitOrder,
  totalOf,
} from '../../platform/lists.ts';
import { pageHost } from '../../platform/page-host.ts';

type Column = (typeof companyColumns)[number];
const id = sql.ref('company_id');

const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  companyName: { keys: [byName('company_name'), id], casts: ['text', 'bigint'] },
  created: { keys: [sql.ref('created_at'), id], casts: ['timestamptz', 'bigint'] },
  providerCount: { keys: [sql.ref('provider_count'), id], casts: ['int', 'bigint'] },
  expirationDate: { keys: [sql.ref('expiration_date'), id], casts: ['date', 'bigint'] },
};

export function pageOfCompanies(query: QueryOf<typeof call>) {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'companyName asc');
  const { keys, casts } = sorts[column];
  return { column, page: pageOf(query, keys, direction, casts) };
}

export function findCompanies(tx: Tx, query: QueryOf<typeof call>, now: string) {
  const words = fold(query.filter ?? '');
  return tx
    .selectFrom('companies')
    .select([
      'company_id',
      'company_name',
      'created_at',
      'provider_count',
      'expiration_date',
      'disabled',
      'front_end_url',
      sql<string>`(${now}::timestamptz at time zone time_zone)::date`.as('today'),
    ])
    .$if(words !== '', (q) => q.where(sql<SqlBool>`fold(company_name) like ${likePattern(words)}`));
}

const rowsOfPage = ({ query, now }: { query: QueryOf<typeof call>; now: string }) =>
  [pageStatement((tx) => findCompanies(tx, query, now), query, pageOfCompanies(query).page)] as const;

/** COMPANY-1 to COMPANY-3. */
export const listCompanies = forUsersAhead(
  call,
  rowsOfPage,
  async ({ context, query, tx, now, found: [rows], touched }) => {
    const { column, page } = pageOfCompanies(query);
    const total = await totalOf(query, () => countRows(findCompanies(tx, query, now)));
    const { data, ...ends } = finishPage(rows, page, (row) => {
      switch (column) {
        case 'companyName':
          return [row.company_name, row.company_id];
        case 'created':
          return [row.created_at, row.company_id];
        case 'providerCount':
          return [row.provider_count, row.company_id];
        case 'expirationDate':
          return [row.expiration_date, row.company_id];
      }
    });
    touched(
      'companies',
      data.map((row) => row.company_id),
    );
    return {
      data: data.map((row) => ({
        companyId: row.company_id,
        companyName: row.company_name,
        created: row.created_at,
        host: pageHost(context, row.front_end_url),
        providerCount: row.provider_count,
        expirationDate: row.expiration_date,
        status: companyStatus({ disabled: row.disabled, expirationDate: row.expiration_date }, row.today),
      })),
      total,
      ...ends,
    };
  },
);
