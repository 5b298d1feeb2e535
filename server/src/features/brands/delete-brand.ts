import { deleteBrand as call } from '@roomside/contract/brands/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { deleteUnusedLogos } from './logos.ts';

/** Deletes a brand with its hosts and providers. Users who have signed in by one keep their connection with its issuer. */
export const deleteBrand = forUsers(call, async ({ params, tx }) => {
  const { numDeletedRows } = await tx.deleteFrom('brands').where('brand_id', '=', params.brandId).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound();
  await deleteUnusedLogos(tx);
  return undefined;
});
