import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import { listMyVisits } from './api/auth-calls.ts';
import { send } from './api/send.ts';
import {
  currentSignIn,
  hasEndedHere,
  knownSignIn,
  mayBeSignedIn,
  rememberReturn,
  setTabKind,
  takeReturn,
} from './api/sign-in.ts';
import { kindOfPath, type SignInState } from './api/sign-in-state.ts';
import { to } from './paths.ts';

/** Where a signed-in person belongs (ROUTE-9); a patient in the visit that their code was for. */
export function homeOf(session: SignInState): string {
  if (session.status !== 'in') return session.kind === 'patient' ? to.link() : to.login();
  const { appointment, company } = session.claims;
  if (session.kind === 'patient') return appointment ? to.appointmentPatient({ uid: appointment }) : to.waitingRoom();
  return company ? to.waitingRoom() : to.adminHome();
}

/** Where to go right after signing in: what was wanted before, else home. */
export function afterSignIn(session: SignInState = currentSignIn()): string {
  return takeReturn(session.kind) ?? homeOf(session);
}

/**
 * Whose tab this will be at a path that both kinds share, e.g. /waiting-room after /login. A guard only says so: the tab
 * changes its kind when the page opens (`settleTab`), so that a navigation that is given up changes nothing.
 */
let next: { path: string; kind: SignInKind } | undefined;

function kindAt(pathname: string): SignInKind {
  return kindOfPath(pathname) ?? (next?.path === pathname ? next.kind : currentSignIn().kind);
}

/** Sends elsewhere, as a tab of this kind. */
function sendTo(path: string, kind: SignInKind): string {
  next = { path: path.split('?')[0] ?? path, kind };
  return path;
}

/** Makes this a tab of the kind that the page at `pathname` is for. Called when that page opens. */
export function settleTab(pathname: string): void {
  setTabKind(kindAt(pathname));
  next = undefined;
}

/**
 * ROUTE-9 for a guarded page: undefined lets it open, else where to go instead. The wanted address is remembered.
 * `path` may carry a query.
 */
export async function guardPage(path: string): Promise<string | undefined> {
  const [pathname = '/'] = path.split('?');
  const kind = kindAt(pathname);
  const session = await knownSignIn(kind);
  if (session.status !== 'in') {
    if (isUnguarded(pathname)) {
      rememberReturn(path, kind);
      return undefined;
    }
    if (!kindOfPath(pathname) && (await isOthersTab(kind))) {
      next = { path: pathname, kind: otherKind(kind) };
      return undefined;
    }
    rememberReturn(path, kind);
    return sendTo(homeOf(session), kind);
  }
  if (isUnguarded(pathname)) return undefined;
  const needsAdmin = pathname.split('/').includes('admin');
  const needsCompany = kind === 'staff' && !session.claims.company && clinicPage.test(pathname);
  return (needsAdmin && session.claims.roles !== 'A') || needsCompany ? homeOf(session) : undefined;
}

/** ROUTE-6: the scheduling and payment pages redirect nowhere; their calls say who may do what. */
const isUnguarded = (pathname: string): boolean => /^\/admin\/(scheduling|payment)(\/|$)/.test(pathname);

/** Pages about one clinic, which a Super has none of. A patient's form opens all the same: it says why (PATIENT-2). */
const clinicPage =
  /^\/(waiting-room|instant-appointment|patient-list|appointment(-list|-edit)?|schedule|recordings|photo(-list)?)(\/|$)/;

const otherKind = (kind: SignInKind): SignInKind => (kind === 'patient' ? 'staff' : 'patient');

/**
 * True at a shared page when the tab only looked at the other side's pages: e.g. staff who opened /patient by mistake
 * and went back. A tab whose own sign-in ended here is not handed to the other kind.
 */
async function isOthersTab(kind: SignInKind): Promise<boolean> {
  const other = otherKind(kind);
  if (hasEndedHere(kind) || !mayBeSignedIn(other)) return false;
  return (await knownSignIn(other)).status === 'in';
}

/** ROUTE-9 for /login: a signed-in person goes on. */
export async function guardLogin(): Promise<string | undefined> {
  const session = await knownSignIn('staff');
  return session.status === 'in' ? sendTo(afterSignIn(session), 'staff') : undefined;
}

/**
 * ROUTE-9 for /link without a code. Staff go on unless this tab is a patient's; a patient goes on to the next visit.
 * Asks the server only where a sign-in is likely, so that the form answers immediately for everybody else.
 */
export async function guardLink(): Promise<string | undefined> {
  const isPatients = (next?.path === to.link() ? next.kind : currentSignIn().kind) === 'patient';
  const kinds: SignInKind[] = isPatients ? ['patient'] : ['staff', 'patient'];
  for (const kind of kinds.filter(mayBeSignedIn)) {
    const session = await knownSignIn(kind);
    if (session.status !== 'in') continue;
    return sendTo(takeReturn(kind) ?? (kind === 'patient' ? await nextVisitOf(session) : homeOf(session)), kind);
  }
  return undefined;
}

/** ROUTE-2: a patient's next visit, else the one that their code was for. */
async function nextVisitOf(session: SignInState): Promise<string> {
  setTabKind('patient');
  const next = await send(listMyVisits).catch(() => undefined);
  const [visit] = next?.data ?? [];
  return visit ? to.appointmentPatient({ uid: visit.appointmentUid }) : homeOf(session);
}
