import { getBrand as call } from '@roomside/contract/auth/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';

interface BrandProvider {
  providerName: string;
  providerClass: string;
  description: string;
  logoUrl: string;
}

/** CALL-22: a host without a brand of its own is strict, so that nobody signs up where nobody meant it. */
export const getBrand = forAnyone(call, async ({ context, query }) =>
  context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const brand = await tx
      .selectFrom('brands')
      .selectAll()
      .where('host', '=', query.host.toLowerCase())
      .executeTakeFirst();
    const providers = (brand?.providers ?? []) as unknown as BrandProvider[];
    return { strictMode: brand?.strict_mode ?? true, providers };
  }),
);
