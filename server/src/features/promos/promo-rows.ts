import type { SqlBool } from 'kysely';
import { type RawBuilder, sql } from 'kysely';
import type { AnyCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound } from '../../platform/refusal.ts';

/** The company whose promo codes the caller manages; null: the installation's (Super). */
export const promoCompany = (caller: AnyCaller): number | null => ('companyId' in caller ? caller.companyId : null);

/** The codes of one owner that are not deleted. */
export const isOwn = (companyId: number | null): RawBuilder<SqlBool> =>
  sql<SqlBool>`company_id is not distinct from ${companyId} and archived_at is null`;

/**
 * Locks a promo code of the caller.
 *
 * @throws Refusal `not-found`
 */
export async function lockPromo(tx: Tx, caller: AnyCaller, promoId: number): Promise<{ version: number }> {
  const row = await tx
    .selectFrom('promo_codes')
    .select('version')
    .where('promo_id', '=', promoId)
    .where(isOwn(promoCompany(caller)))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}
