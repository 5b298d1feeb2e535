import { currentSignIn, onSignInChange } from './sign-in.ts';

/** Prefix of the session storage keys for unsent texts, such as messages and notes; person and place follow. */
export const unsentPrefix = 'room:unsent:';

/** Removes the stored texts whose key matches. Does nothing without a storage. */
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
