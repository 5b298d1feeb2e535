import type { QueryOf } from '@roomside/contract/call.ts';
import { listUsers as call, roleNameOf, type UserRow, type userColumns } from '@roomside/contract/users/calls.ts';
import { type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
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
import { hasFactorOf } from '../second-factor/factors.ts';

type Column = (typeof userColumns)[number];
const id = sql.ref('u.user_id');
const last = byName('u.last_name');
const first = byName('u.first_name');
/** Administrators of the installation come first. */
const company = sql<string>`coalesce(c.company_name, '') collate name_order`;

const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  firstName: { keys: [first, last, id], casts: ['text', 'text', 'bigint'] },
  lastName: { keys: [last, first, id], casts: ['text', 'text', 'bigint'] },
  company: { keys: [company, id], casts: ['text', 'bigint'] },
  email: { keys: [sql.ref('u.email_order'), id], casts: ['text', 'bigint'] },
  role: { keys: [sql.ref('u.role_id'), id], casts: ['text', 'bigint'] },
  created: { keys: [sql.ref('u.created_at'), id], casts: ['timestamptz', 'bigint'] },
};

export function pageOfUsers(query: QueryOf<typeof call>) {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'lastName asc');
  const { keys, casts } = sorts[column];
  return { column, page: pageOf(query, keys, direction, casts) };
}

/** The users of one company, of none (0: administrators of the installation) or (undefined) all. */
export function findUsers(tx: Tx, query: QueryOf<typeof call>, companyId: number | undefined) {
  const words = (query.filter ?? '').trim();
  return tx
    .selectFrom('users as u')
    .leftJoin('companies as c', 'c.company_id', 'u.company_id')
    .select([
      'u.user_id',
      'u.first_name',
      'u.last_name',
      'u.company_id',
      'c.company_name',
      'c.front_end_url',
      'u.email',
      'u.email_order',
      'u.role_id',
      'u.created_at',
      'u.disabled',
      sql<boolean>`u.password_hash is null and u.external_id is null`.as('invited'),
      hasFactorOf(id).as('has_factor'),
    ])
    .$if(companyId === 0, (q) => q.where('u.company_id', 'is', null))
    .$if(!!companyId, (q) => q.where('u.company_id', '=', companyId as number))
    .$if(query.withoutFactor === true, (q) => q.where(sql<SqlBool>`not u.disabled and not ${hasFactorOf(id)}`))
    .$if(words !== '', (q) => q.where(sql<SqlBool>`u.search like ${likePattern(words)}`));
}

/** A member of a company sees only its users. */
const rowsOfPage = ({
  query,
  companyId = query.companyId,
}: {
  query: QueryOf<typeof call>;
  companyId: number | undefined;
}) => [pageStatement((tx) => findUsers(tx, query, companyId), query, pageOfUsers(query).page)] as const;

/** USERS-1 to USERS-3. */
export const listUsers = forUsersAhead(
  call,
  rowsOfPage,
  async ({ context, caller, query, tx, found: [rows], touched }) => {
    const companyId = caller.kind === 'staff' ? caller.companyId : query.companyId;
    const { column, page } = pageOfUsers(query);
    const total = await totalOf(query, () => countRows(findUsers(tx, query, companyId)));
    const { data, ...ends } = finishPage(rows, page, (row) => {
      switch (column) {
        case 'firstName':
          return [row.first_name, row.last_name, row.user_id];
        case 'lastName':
          return [row.last_name, row.first_name, row.user_id];
        case 'company':
          return [row.company_name ?? '', row.user_id];
        case 'email':
          return [row.email_order, row.user_id];
        case 'role':
          return [row.role_id, row.user_id];
        case 'created':
          return [row.created_at, row.user_id];
      }
    });
    touched(
      'users',
      data.map((row) => row.user_id),
    );
    return {
      data: data.map((row) => ({
        userId: row.user_id,
        firstName: row.first_name,
        lastName: row.last_name,
        company: row.company_id === null ? null : { companyId: row.company_id, companyName: row.company_name ?? '' },
        host: pageHost(context, row.front_end_url),
        email: row.email,
        role: { roleId: row.role_id as UserRow['role']['roleId'], roleName: roleNameOf(row.role_id) },
        created: row.created_at,
        disabled: row.disabled,
        invited: row.invited,
        hasSecondFactor: row.has_factor,
      })),
      total,
      ...ends,
    };
  },
);
