import { getBrand } from '@roomside/contract/auth/calls.ts';
import { useRead } from './use-call.ts';

/** Reads the brand of this host once, and how people sign in there (CALL-22). */
export const useHostBrand = () =>
  useRead(getBrand, { query: { host: location.hostname } }, { staleTime: Number.POSITIVE_INFINITY });
