import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import { kindOfPath, type Session } from './api/session.ts';
import { currentSession, knownSession, mayBeSignedIn, rememberReturn, setTabKind, takeReturn } from './api/sign-in.ts';
import { to } from './paths.ts';

/** Where a signed-in person belongs (ROUTE-9); a patient in the visit that his code was for. */
export function homeOf(session: Session): string {
  if (session.status !== 'in') return session.kind === 'patient' ? to.link() : to.login();
  const { appointment, company } = session.claims;
  if (session.kind === 'patient') return appointment ? to.appointmentPatient({ uid: appointment }) : to.waitingRoom();
  return company ? to.waitingRoom() : to.adminHome();
}

/** Where to go right after signing in: what was wanted before, else home. */
export function afterSignIn(): string {
  return takeReturn() ?? homeOf(currentSession());
}

/**
 * ROUTE-9 for a guarded page: undefined lets it open, else where to go instead. The wanted address is remembered.
 * `path` may carry a query.
 */
export async function guardPage(path: string): Promise<string | undefined> {
  const [pathname = '/'] = path.split('?');
  const kind = kindOfPath(pathname);
  if (kind) setTabKind(kind);
  const session = await knownSession();
  if (session.status !== 'in') {
    rememberReturn(path);
    return homeOf(session);
  }
  // ROUTE-6: the scheduling and payment pages are open to all staff; their calls say who may do what.
  const needsAdmin = pathname.split('/').includes('admin') && !/^\/admin\/(scheduling|payment)(\/|$)/.test(pathname);
  return needsAdmin && session.claims.roles !== 'A' ? homeOf(session) : undefined;
}

/** ROUTE-9 for /login: whoever is signed in goes on. */
export async function guardLogin(): Promise<string | undefined> {
  setTabKind('staff');
  const session = await knownSession();
  return session.status === 'in' ? afterSignIn() : undefined;
}

/**
 * ROUTE-9 for /link without a code. Staff go on unless this tab is a patient's; a patient goes on to his visit.
 * Asks the server only where a sign-in is likely, so that the form answers at once for everybody else.
 */
export async function guardLink(): Promise<string | undefined> {
  const kinds: SignInKind[] = currentTabIsPatient() ? ['patient'] : ['staff', 'patient'];
  for (const kind of kinds.filter(mayBeSignedIn)) {
    setTabKind(kind);
    const session = await knownSession();
    if (session.status === 'in') return afterSignIn();
  }
  setTabKind('patient');
  return undefined;
}

function currentTabIsPatient(): boolean {
  return currentSession().kind === 'patient';
}
