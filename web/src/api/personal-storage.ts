import { currentSignIn, onSignInChange } from './sign-in.ts';

/**
 * What a tab keeps for the signed-in person, such as the filter of a list. Each person has their own, and a sign-out
 * removes it: the next person at this browser finds nothing of the one before.
 */
const prefix = 'person:';
/** What is typed without a sign-in; it goes with the next sign-out as well. */
const unauthenticatedPrefix = 'booking:';

function placeOf(name: string): string | undefined {
  const session = currentSignIn();
  return session.status === 'in' ? `${prefix}${session.kind}:${session.claims.sub}:${name}` : undefined;
}

/** The kept text, or null. */
export function recallPersonal(name: string): string | null {
  const place = placeOf(name);
  try {
    return place === undefined ? null : sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Keeps a text until this person signs out; keeps nothing without a sign-in, or when the storage refuses. */
export function keepPersonal(name: string, text: string): void {
  const place = placeOf(name);
  try {
    if (place !== undefined) sessionStorage.setItem(place, text);
  } catch {
    // A full or forbidden storage costs only the convenience.
  }
}

function removeWhere(matches: (place: string) => boolean): void {
  try {
    for (const place of Object.keys(sessionStorage).filter(matches)) sessionStorage.removeItem(place);
  } catch {
    // No storage, nothing kept.
  }
}

onSignInChange(() => {
  const session = currentSignIn();
  const ofKind = `${prefix}${session.kind}:`;
  if (session.status === 'out') {
    removeWhere((place) => place.startsWith(ofKind) || place.startsWith(unauthenticatedPrefix));
  } else if (session.status === 'in') {
    const own = `${ofKind}${session.claims.sub}:`;
    removeWhere((place) => place.startsWith(ofKind) && !place.startsWith(own));
  }
});
