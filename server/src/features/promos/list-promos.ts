import { listPromos as call, type promoColumns } from '@roomside/contract/promos/calls.ts';
import { type SqlBool, sql } from 'kysely';
import { fold } from '../../platform/fold.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { byName, finishPage, likePattern, pageOf, readPage, type SortKeys, splitOrder } from '../../platform/lists.ts';
import { isOwn, promoCompany } from './promo-rows.ts';

type Column = (typeof promoColumns)[number];
const id = sql.ref('promo_id');
/** Stands for "no end" in sort keys, which must not be null. */
const noEnd = '9999-12-31';

const sorts: Record<Column, { keys: SortKeys; casts: readonly string[] }> = {
  code: { keys: [byName('code'), id], casts: ['text', 'bigint'] },
  discountRate: { keys: [sql.ref('discount_rate'), id], casts: ['int', 'bigint'] },
  expirationDate: { keys: [sql`coalesce(expiration_date, ${noEnd})`, id], casts: ['date', 'bigint'] },
  disabled: { keys: [sql`disabled::int`, id], casts: ['int', 'bigint'] },
};

/** PROMO-1. */
export const listPromos = forUsers(call, async ({ caller, query, tx }) => {
  const { column, direction } = splitOrder<Column>(query.orderBy, 'code asc');
  const { keys, casts } = sorts[column];
  const page = pageOf(query, keys, direction, casts);
  const words = fold(query.filter ?? '');
  const matching = tx
    .selectFrom('promo_codes')
    .select(['promo_id', 'code', 'discount_rate', 'expiration_date', 'disabled'])
    .where(isOwn(promoCompany(caller)))
    .$if(words !== '', (q) => q.where(sql<SqlBool>`fold(code) like ${likePattern(words)}`));
  const { found, total } = await readPage(matching, query, page);
  const { data, ...ends } = finishPage(found, page, (row) => {
    switch (column) {
      case 'code':
        return [row.code, row.promo_id];
      case 'discountRate':
        return [row.discount_rate, row.promo_id];
      case 'expirationDate':
        return [row.expiration_date ?? noEnd, row.promo_id];
      case 'disabled':
        return [Number(row.disabled), row.promo_id];
    }
  });
  return {
    data: data.map((row) => ({
      patientPromoId: row.promo_id,
      code: row.code,
      discountRate: row.discount_rate,
      expirationDate: row.expiration_date,
      disabled: row.disabled,
    })),
    total,
    ...ends,
  };
});
