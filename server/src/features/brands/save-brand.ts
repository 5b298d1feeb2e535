import { type BrandBody, saveBrand as call } from '@roomside/contract/brands/calls.ts';
import { hostOf } from '@roomside/contract/brands/hosts.ts';
import { brandTexts } from '@roomside/contract/brands/texts.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { isAllowedScheme } from '../../platform/public-addresses.ts';
import { checkVersion, fieldRefusal, notFound } from '../../platform/refusal.ts';
import { deleteUnusedLogos, type Logo, readLogo, storeLogo } from './logos.ts';
import { writeProviders } from './write-providers.ts';

/** The pictures of a save: undefined = as stored, null = none. */
export interface Logos {
  readonly brand: Logo | null | undefined;
  readonly providers: readonly (Logo | null | undefined)[];
}

/** Creates or saves a brand with its hosts and providers. */
export const saveBrand = forUsersInSteps(call, async ({ context, body, now, commit, touched }) => {
  requireAllowedIssuers(context, body);
  const logos = await readLogos(body);
  return commit(async (tx) => {
    const { brandId, version } = await writeBrand(tx, body, logos, now);
    touched('brandId', brandId);
    await writeHosts(tx, brandId, body);
    await writeProviders(tx, context, { brandId, providers: body.providers, logos: logos.providers });
    await deleteUnusedLogos(tx);
    return { brandId, version };
  });
});

/** @throws Refusal `invalid` with the field of the first issuer without https */
function requireAllowedIssuers(context: Context, { providers }: BrandBody): void {
  const wrong = providers.findIndex(({ issuer }) => !isAllowedScheme(context.settings.EXTERNAL_PROVIDER_HOSTS, issuer));
  if (wrong >= 0) throw fieldRefusal('invalid', `providers.${wrong}.issuer`, brandTexts.issuerNeedsHttps);
}

async function readLogos({ logo, providers }: BrandBody): Promise<Logos> {
  const read = async (base64: string | undefined, field: string) =>
    base64 === undefined ? undefined : readLogo(base64, field);
  return {
    brand: await read(logo, 'logo'),
    providers: await Promise.all(providers.map((provider, index) => read(provider.logo, `providers.${index}.logo`))),
  };
}

async function writeBrand(tx: Tx, body: BrandBody, { brand: logo }: Logos, now: string) {
  const { brandId } = body;
  const values = {
    brand_name: body.brandName.trim(),
    color: body.color.toLowerCase(),
    strict_mode: body.strictMode,
    ...(logo !== undefined && { logo_uid: await storeLogo(tx, logo) }),
  };
  if (brandId === 0) {
    const { brand_id } = await tx
      .insertInto('brands')
      .values({ ...values, created_at: now })
      .returning('brand_id')
      .executeTakeFirstOrThrow();
    return { brandId: brand_id, version: 0 };
  }
  const stored = await tx
    .selectFrom('brands')
    .select('version')
    .where('brand_id', '=', brandId)
    .forUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  checkVersion(stored, body.version);
  const version = stored.version + 1;
  await tx
    .updateTable('brands')
    .set({ ...values, version })
    .where('brand_id', '=', brandId)
    .execute();
  return { brandId, version };
}

/** @throws Refusal `host-taken` with the host that another brand has */
async function writeHosts(tx: Tx, brandId: number, body: BrandBody): Promise<void> {
  const hosts = [...new Set(body.hosts.map(hostOf))].toSorted();
  await tx.deleteFrom('brand_hosts').where('brand_id', '=', brandId).execute();
  const added = await tx
    .insertInto('brand_hosts')
    .values(hosts.map((host) => ({ host, brand_id: brandId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('host')
    .execute();
  const taken = hosts.find((host) => !added.some((row) => row.host === host));
  if (taken !== undefined) throw fieldRefusal('host-taken', 'hosts', brandTexts.hostTaken(taken));
}
