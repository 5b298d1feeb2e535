import { currentSignIn, onSignInChange } from '../../../api/sign-in.ts';

/** Prefix of the session storage keys for unsent messages; person and visit follow. */
export const unsentPrefix = 'room:unsent:';

/** Removes the stored messages whose key matches. Does nothing without a storage. */
export function forgetUnsent(which: (place: string) => boolean = () => true): void {
  try {
    const places = Object.keys(sessionStorage).filter((place) => place.startsWith(unsentPrefix));
    for (const place of places.filter(which)) sessionStorage.removeItem(place);
  } catch {
    // No storage.
  }
}

onSignInChange(() => {
  if (currentSignIn().status === 'out') forgetUnsent();
});
