import { type BrandBody, type getBrandSettings, saveBrand } from '@roomside/contract/brands/calls.ts';
import { hostsOf } from '@roomside/contract/brands/hosts.ts';
import type { ResultOf, Schema } from '@roomside/contract/call.ts';
import * as z from 'zod/mini';

export type StoredBrand = ResultOf<typeof getBrandSettings>;
type ProviderBody = BrandBody['providers'][number];

interface ProviderValues extends Omit<ProviderBody, 'clientSecret' | 'emailDomains' | 'logo'> {
  /** '' = as stored. */
  clientSecret: string;
  emailDomains: string;
  /** As in the call. */
  logo?: string | undefined;
  logoUrl: string;
}

/** The typed values: hosts and domains are texts with spaces between. */
export interface BrandValues extends Omit<BrandBody, 'hosts' | 'providers' | 'logo'> {
  hosts: string;
  logo?: string | undefined;
  logoUrl: string;
  providers: ProviderValues[];
}

export const blankBrand: StoredBrand = {
  brandId: 0,
  version: 0,
  brandName: '',
  hosts: [],
  color: '',
  strictMode: true,
  logoUrl: '',
  providers: [],
};

export const blankProvider: ProviderValues = {
  providerId: 0,
  providerName: '',
  providerClass: 'OpenID Connect',
  description: '',
  issuer: '',
  clientId: '',
  clientSecret: '',
  emailDomains: '',
  logoUrl: '',
};

export const toForm = (brand: StoredBrand): BrandValues => ({
  ...brand,
  hosts: brand.hosts.join(' '),
  providers: brand.providers.map((provider) => ({
    ...provider,
    clientSecret: '',
    emailDomains: provider.emailDomains.join(' '),
  })),
});

const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

export function toBody({ hosts, providers, logo, logoUrl: _logoUrl, ...brand }: BrandValues): BrandBody {
  return {
    ...brand,
    color: brand.color.trim(),
    hosts: hostsOf(hosts),
    ...(logo !== undefined && { logo }),
    providers: providers.map(({ clientSecret, emailDomains, logo: own, logoUrl: _logoUrl, ...provider }) => ({
      ...provider,
      providerName: provider.providerName.trim(),
      issuer: provider.issuer.trim(),
      emailDomains: words(emailDomains),
      ...(clientSecret.trim() !== '' && { clientSecret }),
      ...(own !== undefined && { logo: own }),
    })),
  };
}

/** The contract's rules for the typed values. */
export const brandForm = z.pipe(z.transform(toBody), saveBrand.body) as unknown as Schema<BrandValues>;
