import { useHostBrand } from './use-host-brand.ts';

/** Where passkeys work: on this page, on pages of another address, or not known before it has been read. */
export type PasskeyPlace = 'here' | 'unknown' | URL;

/** Returns where passkeys work (decision 056). They are offered when it could not be read. */
export function usePasskeyPlace(): PasskeyPlace {
  const brand = useHostBrand();
  if (brand.isPending) return 'unknown';
  const { passkeyOrigin = location.origin } = brand.data ?? {};
  return passkeyOrigin === location.origin ? 'here' : new URL(passkeyOrigin);
}
