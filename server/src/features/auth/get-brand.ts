import { getBrand as call } from '@roomside/contract/auth/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';

interface BrandProvider {
  providerName: string;
  providerClass: string;
  description: string;
  logoUrl: string;
}

/** CALL-22: the brand of a host. A host without one is in strict mode, which allows no self-registration. */
export const getBrand = forAnyone(call, async ({ context, query }) =>
  context.db.open({ kind: 'unauthenticated' }, (tx) => findBrand(tx, query.host)),
);

export async function findBrand(tx: Tx, host: string) {
  const brand = await tx.selectFrom('brands').selectAll().where('host', '=', host.toLowerCase()).executeTakeFirst();
  const providers = (brand?.providers ?? []) as unknown as BrandProvider[];
  return { strictMode: brand?.strict_mode ?? true, providers };
}
