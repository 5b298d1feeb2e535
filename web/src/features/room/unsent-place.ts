import { currentSignIn, onSignInChange } from '../../api/sign-in.ts';

/** Where a tab keeps what was written in rooms and is not with the server yet, by person and visit. */
export const unsentPrefix = 'room:unsent:';

/** Removes what is kept at these places; a storage that is not there keeps nothing. */
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
