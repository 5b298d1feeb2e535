import { createHash } from 'node:crypto';
import { getBrandLogo } from '@roomside/contract/brands/calls.ts';
import { brandTexts } from '@roomside/contract/brands/texts.ts';
import { fillPath } from '@roomside/contract/call.ts';
import { maxLogoBytes } from '@roomside/contract/limits.ts';
import { type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { mediaTypeOf } from '../../platform/media-type.ts';
import { fieldRefusal } from '../../platform/refusal.ts';

/** The address of a stored picture; '' for none. */
export const logoUrlOf = (logoUid: string | null): string =>
  logoUid === null ? '' : fillPath(getBrandLogo.path, { logoUid });

/** A picture that was sent, checked by its content. */
export interface Logo {
  readonly logo_uid: string;
  readonly media_type: string;
  readonly content: Buffer;
}

const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/**
 * Reads a picture from base64; null for ''.
 *
 * @throws Refusal `invalid` with the field when it is no picture of these types, or too large
 */
export async function readLogo(base64: string, field: string): Promise<Logo | null> {
  if (base64 === '') return null;
  const content = Buffer.from(base64, 'base64');
  if (content.length > maxLogoBytes) throw fieldRefusal('invalid', field, brandTexts.logoTooLarge(maxLogoBytes / 1024));
  const media_type = await mediaTypeOf(content, '');
  if (!types.has(media_type)) throw fieldRefusal('invalid', field, brandTexts.logoType);
  return { logo_uid: createHash('sha256').update(content).digest('hex'), media_type, content };
}

/** Stores a picture, if it is not stored already, and returns its uid. In a Super's transaction. */
export async function storeLogo(tx: Tx, logo: Logo | null): Promise<string | null> {
  if (!logo) return null;
  await tx
    .insertInto('brand_logos')
    .values({ ...logo })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return logo.logo_uid;
}

/** Deletes the pictures that nothing shows any more. In a Super's transaction. */
export async function deleteUnusedLogos(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('brand_logos as l')
    .where(sql<SqlBool>`not exists (select from brands b where b.logo_uid = l.logo_uid)`)
    .where(sql<SqlBool>`not exists (select from brand_providers p where p.logo_uid = l.logo_uid)`)
    .execute();
}
