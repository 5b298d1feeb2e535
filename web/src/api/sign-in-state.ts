import type { SignInKind, TokenClaims } from '@roomside/contract/auth/calls.ts';
import type { Caller, Role } from '@roomside/contract/permissions.ts';

/** What a screen knows about the person in front of it. `unknown` until the cookie was tried. */
export type SignInState =
  | { kind: SignInKind; status: 'unknown' | 'out' }
  | { kind: SignInKind; status: 'in'; claims: TokenClaims; caller: Caller };

const staffRoles: readonly Role[] = ['A', 'D', 'U'];

/** Reads the claims of an access token; the server alone verifies it. */
export function decodeClaims(token: string): TokenClaims & { iat?: number } {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as TokenClaims;
}

/** ABOUT-3: an administrator without a company is the Super. */
export function callerOf(claims: TokenClaims): Caller {
  return claims.roles === 'A' && !claims.company ? 'Super' : claims.roles;
}

/** A, D or U with a company: who sees the clinic's own pages (MENU-1, MENU-4). */
export function isClinicStaff(session: SignInState): boolean {
  return session.status === 'in' && Boolean(session.claims.company) && staffRoles.includes(session.claims.roles);
}

/** Who a session is of: differs whenever another person, or none, stands in front of the page. */
export function personOf(session: SignInState): string {
  return session.status === 'in' ? `${session.kind} ${session.claims.sub}` : session.kind;
}

const patientPath = /^\/(link|patient|patient-payment|thank-you)(\/|$)|^\/appointment\/[^/]+\/pt$/;
const sharedPath = /^(\/?|\/(appointment\/.*|waiting-room|logout|not-found|offline))$/;

/** Whose page a path is; undefined where both kinds of sign-in have one, and the tab keeps the kind that it has. */
export function kindOfPath(path: string): SignInKind | undefined {
  if (patientPath.test(path)) return 'patient';
  return sharedPath.test(path) ? undefined : 'staff';
}
