import { Readable } from 'node:stream';
import { getBrandLogo as call } from '@roomside/contract/brands/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** Its uid is a hash of the bytes, so that they never change. */
export const getBrandLogo = forAnyone(call, async ({ context, params }) => {
  const { logoUid } = params;
  const logo = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.selectFrom('brand_logos').select(['media_type', 'content']).where('logo_uid', '=', logoUid).executeTakeFirst(),
  );
  if (!logo) throw notFound();
  const { content } = logo;
  return {
    fileName: `logo.${logo.media_type.slice('image/'.length)}`,
    mediaType: logo.media_type,
    size: content.length,
    etag: logoUid,
    open: async ({ start, end } = { start: 0, end: content.length - 1 }) =>
      Readable.from([content.subarray(start, end + 1)]),
  };
});
