import { currentSignIn, onSignInChange } from './sign-in.ts';

/**
 * Texts that a tab stores for the signed-in person, such as the filter of a list. They are separate per person and removed
 * at the sign-out, so that the next person at this browser finds none.
 */
const prefix = 'person:';
/** Prefix of what is stored without a sign-in; also removed at the next sign-out. */
const unauthenticatedPrefix = 'booking:';

function placeOf(name: string): string | undefined {
  const signIn = currentSignIn();
  return signIn.status === 'in' ? `${prefix}${signIn.kind}:${signIn.claims.sub}:${name}` : undefined;
}

/** Returns the stored text, or null. */
export function recallPersonal(name: string): string | null {
  const place = placeOf(name);
  try {
    return place === undefined ? null : sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Stores a text until this person signs out; does nothing without a sign-in or a storage. */
export function keepPersonal(name: string, text: string): void {
  const place = placeOf(name);
  try {
    if (place !== undefined) sessionStorage.setItem(place, text);
  } catch {
    // With a full or forbidden storage the text is just not stored.
  }
}

function removeWhere(matches: (place: string) => boolean): void {
  try {
    for (const place of Object.keys(sessionStorage).filter(matches)) sessionStorage.removeItem(place);
  } catch {
    // No storage.
  }
}

onSignInChange(() => {
  const signIn = currentSignIn();
  const ofKind = `${prefix}${signIn.kind}:`;
  if (signIn.status === 'out') {
    removeWhere((place) => place.startsWith(ofKind) || place.startsWith(unauthenticatedPrefix));
  } else if (signIn.status === 'in') {
    const own = `${ofKind}${signIn.claims.sub}:`;
    removeWhere((place) => place.startsWith(ofKind) && !place.startsWith(own));
  }
});
