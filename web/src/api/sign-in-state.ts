import type { SignInKind, TokenClaims } from '@roomside/contract/auth/calls.ts';
import type { Caller, Role } from '@roomside/contract/permissions.ts';

/** What a screen knows about the signed-in person. `unknown` until the cookie was tried. */
export type SignInState =
  | { kind: SignInKind; status: 'unknown' | 'out' }
  | { kind: SignInKind; status: 'in'; claims: TokenClaims; caller: Caller };

const staffRoles: readonly Role[] = ['A', 'D', 'U'];

/** Decodes the claims of an access token; only the server verifies it. */
export function decodeClaims(token: string): TokenClaims & { iat?: number } {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as TokenClaims;
}

/** ABOUT-3: an administrator without a company is the Super. */
export function callerOf(claims: TokenClaims): Caller {
  return claims.roles === 'A' && !claims.company ? 'Super' : claims.roles;
}

/** A, D or U with a company: users of the clinic's pages (MENU-1, MENU-4). */
export function isClinicStaff(signIn: SignInState): boolean {
  return signIn.status === 'in' && Boolean(signIn.claims.company) && staffRoles.includes(signIn.claims.roles);
}

/** Identifies the person of a sign-in; differs for another person or none. */
export function personOf(signIn: SignInState): string {
  return signIn.status === 'in' ? `${signIn.kind} ${signIn.claims.sub}` : signIn.kind;
}

const patientPath = /^\/(link|patient|patient-payment|thank-you)(\/|$)|^\/appointment\/[^/]+\/pt$/;
const guestPath = /^\/guest(\/|$)/;
const sharedPath = /^(\/?|\/(appointment\/.*|receipt\/.*|waiting-room|logout|not-found|offline))$/;

/** The kind of sign-in of a path; undefined when staff and patients have one, and the tab keeps its kind. */
export function kindOfPath(path: string): SignInKind | undefined {
  if (patientPath.test(path)) return 'patient';
  if (guestPath.test(path)) return 'guest';
  return sharedPath.test(path) ? undefined : 'staff';
}
