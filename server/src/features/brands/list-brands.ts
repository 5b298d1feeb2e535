import { type brandColumns, listBrands as call } from '@roomside/contract/brands/calls.ts';
import { type SqlBool, sql } from 'kysely';
import { fold } from '../../platform/fold.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { byName, finishPage, likePattern, pageOf, readPage, type SortKeys, splitOrder } from '../../platform/lists.ts';

type Column = (typeof brandColumns)[number];
const id = sql.ref('brand_id');

const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  brandName: { keys: [byName('brand_name'), id], casts: ['text', 'bigint'] },
  created: { keys: [sql.ref('created_at'), id], casts: ['timestamptz', 'bigint'] },
};

const hosts = sql<string[]>`array(select host from brand_hosts h where h.brand_id = brands.brand_id order by host)`;

export const listBrands = forUsers(call, async ({ query, tx, touched }) => {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'brandName asc');
  const { keys, casts } = sorts[column];
  const page = pageOf(query, keys, direction, casts);
  const words = fold(query.filter ?? '');
  const matching = tx
    .selectFrom('brands')
    .select([
      'brand_id',
      'brand_name',
      'created_at',
      'strict_mode',
      hosts.as('hosts'),
      sql<number>`(select count(*)::int from brand_providers p where p.brand_id = brands.brand_id)`.as(
        'provider_count',
      ),
    ])
    .$if(words !== '', (q) =>
      q.where(sql<SqlBool>`(fold(brand_name) like ${likePattern(words)} or exists (select from brand_hosts h
        where h.brand_id = brands.brand_id and h.host like ${likePattern(words)}))`),
    );
  const { found, total } = await readPage(matching, query, page);
  const { data, ...ends } = finishPage(found, page, (row) =>
    column === 'brandName' ? [row.brand_name, row.brand_id] : [row.created_at, row.brand_id],
  );
  touched(
    'brands',
    data.map((row) => row.brand_id),
  );
  return {
    data: data.map((row) => ({
      brandId: row.brand_id,
      brandName: row.brand_name,
      hosts: row.hosts,
      strictMode: row.strict_mode,
      providerCount: row.provider_count,
      created: row.created_at,
    })),
    total,
    ...ends,
  };
});
