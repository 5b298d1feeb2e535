import { getBrand as call } from '@roomside/contract/auth/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { logoUrlOf } from '../brands/logos.ts';
import { passkeyParty } from '../second-factor/passkeys.ts';

/** CALL-22: the brand of a host. A host without one is in strict mode, which allows no self-registration. */
export const getBrand = forAnyone(call, async ({ context, query }) =>
  context.db.open({ kind: 'unauthenticated' }, async (tx) => ({
    ...(await findBrand(tx, query.host)),
    passkeyOrigin: passkeyParty(context).origin,
  })),
);

export async function findBrand(tx: Tx, host: string): Promise<Omit<ResultOf<typeof call>, 'passkeyOrigin'>> {
  const brand = await tx
    .selectFrom('brand_hosts as h')
    .innerJoin('brands as b', 'b.brand_id', 'h.brand_id')
    .select(['b.brand_id', 'b.brand_name', 'b.color', 'b.logo_uid', 'b.strict_mode'])
    .where('h.host', '=', host.toLowerCase())
    .executeTakeFirst();
  if (!brand) return { brandName: '', color: '', logoUrl: '', strictMode: true, providers: [] };
  const providers = await tx
    .selectFrom('brand_providers')
    .select(['name', 'class', 'description', 'logo_uid'])
    .where('brand_id', '=', brand.brand_id)
    .orderBy('position')
    .execute();
  return {
    brandName: brand.brand_name,
    color: brand.color,
    logoUrl: logoUrlOf(brand.logo_uid),
    strictMode: brand.strict_mode,
    providers: providers.map((provider) => ({
      providerName: provider.name,
      providerClass: provider.class,
      description: provider.description,
      logoUrl: logoUrlOf(provider.logo_uid),
    })),
  };
}
