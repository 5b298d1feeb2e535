import type { BrandBody } from '@roomside/contract/brands/calls.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fieldRefusal, notFound } from '../../platform/refusal.ts';
import { type Logo, storeLogo } from './logos.ts';
import { sealClientSecret } from './providers.ts';

type ProviderBody = BrandBody['providers'][number];

interface Written {
  readonly brandId: number;
  readonly providers: readonly ProviderBody[];
  /** By the provider's place: undefined = as stored, null = none. */
  readonly logos: readonly (Logo | null | undefined)[];
}

/**
 * Replaces the providers of a brand. One that is kept keeps its id and its secret. A secret belongs to one issuer: with a new issuer, it
 * must be entered again, so that it is never sent to another server.
 *
 * @throws Refusal `invalid` with the field of a missing secret
 */
export async function writeProviders(
  tx: Tx,
  context: Pick<Context, 'keys'>,
  { brandId, providers, logos }: Written,
): Promise<void> {
  const stored = await tx
    .selectFrom('brand_providers')
    .select(['provider_id', 'issuer'])
    .where('brand_id', '=', brandId)
    .execute();
  const kept = new Set(providers.map(({ providerId }) => providerId));
  const gone = stored.map(({ provider_id }) => provider_id).filter((providerId) => !kept.has(providerId));
  if (gone.length > 0) await tx.deleteFrom('brand_providers').where('provider_id', 'in', gone).execute();
  // Names may be exchanged.
  await tx
    .updateTable('brand_providers')
    .set({ name: sql`'provider-' || provider_id` })
    .where('brand_id', '=', brandId)
    .execute();
  for (const [position, body] of providers.entries()) {
    const before = stored.find(({ provider_id }) => provider_id === body.providerId);
    if (body.providerId !== 0 && !before) throw notFound();
    if (before && before.issuer !== body.issuer && body.clientSecret === undefined)
      throw fieldRefusal('invalid', `providers.${position}.clientSecret`, fieldTexts.required);
    await writeProvider(tx, context, { brandId, position, body, logo: logos[position] });
  }
}

interface One {
  readonly brandId: number;
  readonly position: number;
  readonly body: ProviderBody;
  readonly logo: Logo | null | undefined;
}

async function writeProvider(tx: Tx, { keys }: Pick<Context, 'keys'>, { brandId, position, body, logo }: One) {
  const providerId = body.providerId === 0 ? await newId(tx) : body.providerId;
  const { clientSecret } = body;
  const values = {
    position,
    name: body.providerName,
    class: body.providerClass.trim(),
    description: body.description.trim(),
    issuer: body.issuer,
    client_id: body.clientId.trim(),
    email_domains: [...new Set(body.emailDomains.map((domain) => domain.toLowerCase()))],
    ...(logo !== undefined && { logo_uid: await storeLogo(tx, logo) }),
  };
  const sealed = clientSecret === undefined ? null : sealClientSecret(keys, providerId, clientSecret.trim());
  if (body.providerId !== 0) {
    await tx
      .updateTable('brand_providers')
      .set({ ...values, ...(sealed && { client_secret: sealed }) })
      .where('provider_id', '=', providerId)
      .execute();
  } else if (sealed) {
    await tx
      .insertInto('brand_providers')
      .values({ ...values, provider_id: providerId, brand_id: brandId, client_secret: sealed })
      .execute();
  }
}

/** The secret is sealed for the id of its row. */
async function newId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('ids') as id`.execute(tx);
  return rows[0]?.id as number;
}
