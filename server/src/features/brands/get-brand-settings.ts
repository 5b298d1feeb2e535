import { getBrandSettings as call } from '@roomside/contract/brands/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { logoUrlOf } from './logos.ts';

/** Does not read the secrets of providers. */
export const getBrandSettings = forUsers(call, async ({ params, tx }) => {
  const { brandId } = params;
  const brand = await tx.selectFrom('brands').selectAll().where('brand_id', '=', brandId).executeTakeFirst();
  if (!brand) throw notFound();
  const hosts = await tx
    .selectFrom('brand_hosts')
    .select('host')
    .where('brand_id', '=', brandId)
    .orderBy('host')
    .execute();
  const providers = await tx
    .selectFrom('brand_providers')
    .select(['provider_id', 'name', 'class', 'description', 'issuer', 'client_id', 'email_domains', 'logo_uid'])
    .where('brand_id', '=', brandId)
    .orderBy('position')
    .execute();
  return {
    brandId,
    version: brand.version,
    brandName: brand.brand_name,
    hosts: hosts.map(({ host }) => host),
    color: brand.color,
    strictMode: brand.strict_mode,
    logoUrl: logoUrlOf(brand.logo_uid),
    providers: providers.map((provider) => ({
      providerId: provider.provider_id,
      providerName: provider.name,
      providerClass: provider.class,
      description: provider.description,
      issuer: provider.issuer,
      clientId: provider.client_id,
      emailDomains: provider.email_domains,
      logoUrl: logoUrlOf(provider.logo_uid),
    })),
  };
});
