import type { BrandBody } from '@roomside/contract/brands/calls.ts';
import type { OpenIdProvider } from './openid-provider.ts';

/** A provider as it is typed into a brand's editor. */
export const providerBody = (
  { issuer, clientId, clientSecret }: Pick<OpenIdProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  more: Partial<BrandBody['providers'][number]> = {},
): BrandBody['providers'][number] => ({
  providerId: 0,
  providerName: 'acme',
  providerClass: 'OpenID Connect',
  description: 'Acme Health',
  issuer,
  clientId,
  clientSecret,
  emailDomains: [],
  ...more,
});

export const brandBody = (more: Partial<BrandBody> = {}): BrandBody => ({
  brandId: 0,
  version: 0,
  brandName: 'Acme Health',
  hosts: ['acme.test'],
  color: '',
  strictMode: true,
  providers: [],
  ...more,
});
