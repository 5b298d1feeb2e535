import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openBytes, sealBytes } from '../../platform/envelope.ts';

type Keys = Context['keys'];

const placeOf = (providerId: number) => `brand_providers.client_secret ${providerId}`;

export const sealClientSecret = (keys: Keys, providerId: number, secret: string): Buffer =>
  sealBytes(keys.providers, Buffer.from(secret), placeOf(providerId));

const openClientSecret = (keys: Keys, providerId: number, sealed: Buffer): string =>
  openBytes(keys.providers, sealed, placeOf(providerId)).toString('utf8');

/** A provider, with what it is asked with. */
export interface Provider {
  readonly providerId: number;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly emailDomains: readonly string[];
}

interface Row {
  readonly provider_id: number;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: Buffer;
  readonly email_domains: string[];
}

const toProvider = (keys: Keys, row: Row): Provider => ({
  providerId: row.provider_id,
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: openClientSecret(keys, row.provider_id, row.client_secret),
  emailDomains: row.email_domains,
});

const columns = ['p.provider_id', 'p.issuer', 'p.client_id', 'p.client_secret', 'p.email_domains'] as const;

/** Returns a provider of the brand of a host, by its name. In an unauthenticated transaction. */
export async function providerOfHost(
  tx: Tx,
  keys: Keys,
  { host, providerName }: { host: string; providerName: string },
): Promise<Provider | null> {
  const row = await tx
    .selectFrom('brand_hosts as h')
    .innerJoin('brand_providers as p', 'p.brand_id', 'h.brand_id')
    .select(columns)
    .where('h.host', '=', host)
    .where('p.name', '=', providerName)
    .executeTakeFirst();
  return row ? toProvider(keys, row) : null;
}

/** In an unauthenticated transaction. */
export async function providerById(tx: Tx, keys: Keys, providerId: number): Promise<Provider | null> {
  const row = await tx
    .selectFrom('brand_providers as p')
    .select(columns)
    .where('p.provider_id', '=', providerId)
    .executeTakeFirst();
  return row ? toProvider(keys, row) : null;
}

/** Whether the provider may vouch for this email. */
export function mayVouchFor({ emailDomains }: Pick<Provider, 'emailDomains'>, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return emailDomains.length === 0 || emailDomains.includes(domain);
}
