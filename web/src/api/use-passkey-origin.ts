import { getBrand } from '@roomside/contract/auth/calls.ts';
import { useRead } from './use-call.ts';

/** Returns the origin where passkeys work if it is not that of this page (decision 056); undefined = they work here. */
export function useOtherPasskeyOrigin(): string | undefined {
  const { data } = useRead(getBrand, { query: { host: location.hostname } }, { staleTime: Number.POSITIVE_INFINITY });
  return data?.passkeyOrigin === location.origin ? undefined : data?.passkeyOrigin;
}
