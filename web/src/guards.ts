import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { listMyAppointments } from './api/auth-calls.ts';
import { send } from './api/send.ts';
import {
  currentSignIn,
  hasEndedHere,
  knownSignIn,
  mayBeSignedIn,
  rememberReturn,
  requestedPath,
  setTabKind,
  takeReturn,
} from './api/sign-in.ts';
import { kindOfPath, type SignInState } from './api/sign-in-state.ts';
import { to } from './paths.ts';

/** The design page exists in the demo only: elsewhere its address is unknown. */
export async function guardDesign(): Promise<string | undefined> {
  const { ok } = await fetch(to.design(), { method: 'HEAD' });
  return ok ? undefined : to.notFound();
}

/** The start page of a signed-in person (ROUTE-9); for a patient the visit of their code. */
export function homeOf(signIn: SignInState): string {
  if (signIn.kind === 'guest') return signIn.status === 'in' ? to.guest() : to.guestOver();
  if (signIn.status !== 'in') return signIn.kind === 'patient' ? to.link() : to.login();
  const { appointment, company } = signIn.claims;
  if (signIn.kind === 'patient') return appointment ? to.appointmentPatient({ uid: appointment }) : to.waitingRoom();
  return company ? to.waitingRoom() : to.adminHome();
}

/** The page after a sign-in: the requested one, else the start page. */
export function afterSignIn(signIn: SignInState = currentSignIn()): string {
  return returnOf(signIn) ?? homeOf(signIn);
}

/** The requested page; for a patient not that of another visit, which may be over and would end the new sign-in. */
function returnOf(signIn: SignInState): string | undefined {
  const path = takeReturn(signIn.kind);
  if (signIn.kind !== 'patient' || signIn.status !== 'in') return path;
  const uid = uidOfVisit(path);
  return uid === undefined || normalizeUid(uid) === signIn.claims.appointment ? path : undefined;
}

/** The uid in the path of a patient's page about one visit. */
const uidOfVisit = (path = ''): string | undefined =>
  /^\/(?:appointment|patient-payment|receipt)\/([^/?]+)/.exec(path)?.[1];

/** True when a patient wanted to open a visit, but is not signed in, e.g. since it was cancelled. */
export const wantsVisit = (): boolean => uidOfVisit(requestedPath('patient')) !== undefined;

/**
 * The kind of the tab at a path that both kinds share, e.g. /waiting-room after /login. A guard only records it; the tab
 * changes when the page opens (`settleTab`), so that an aborted navigation changes nothing.
 */
let next: { path: string; kind: SignInKind } | undefined;

function kindAt(pathname: string): SignInKind {
  return kindOfPath(pathname) ?? (next?.path === pathname ? next.kind : currentSignIn().kind);
}

/** Redirects as a tab of this kind. */
function sendTo(path: string, kind: SignInKind): string {
  next = { path: path.split('?')[0] ?? path, kind };
  return path;
}

/** Sets the tab's kind to that of the page at `pathname`. Called when the page opens. */
export function settleTab(pathname: string): void {
  setTabKind(kindAt(pathname));
  next = undefined;
}

/**
 * ROUTE-9 for a guarded page: returns undefined to open it, else the redirect. The requested address is stored. `path` may
 * have a query.
 */
export async function guardPage(path: string): Promise<string | undefined> {
  const [pathname = '/'] = path.split('?');
  const kind = kindAt(pathname);
  const signIn = await knownSignIn(kind);
  if (signIn.status !== 'in') {
    if (isUnguarded(pathname)) {
      rememberReturn(path, kind);
      return undefined;
    }
    if (!kindOfPath(pathname) && (await isOthersTab(kind))) {
      next = { path: pathname, kind: otherKind(kind) };
      return undefined;
    }
    rememberReturn(path, kind);
    return sendTo(homeOf(signIn), kind);
  }
  if (isUnguarded(pathname)) return undefined;
  const needsAdmin = pathname.split('/').includes('admin');
  const needsCompany = kind === 'staff' && !signIn.claims.company && clinicPage.test(pathname);
  return (needsAdmin && signIn.claims.roles !== 'A') || needsCompany ? homeOf(signIn) : undefined;
}

/** ROUTE-6: the scheduling and payment pages do not redirect; the server refuses their calls. */
const isUnguarded = (pathname: string): boolean => /^\/admin\/(scheduling|payment)(\/|$)/.test(pathname);

/** Pages of one clinic, which a Super does not have. A patient's form opens anyway and explains it (PATIENT-2). */
const clinicPage =
  /^\/(waiting-room|instant-appointment|patient-list|appointment(-list|-edit)?|schedule|recordings|photo(-list)?)(\/|$)/;

const otherKind = (kind: SignInKind): SignInKind => (kind === 'patient' ? 'staff' : 'patient');

/**
 * True at a shared page when the tab only showed the other kind's pages, e.g. staff who opened /patient by mistake and
 * went back. A tab whose sign-in ended since the load is not changed to the other kind.
 */
async function isOthersTab(kind: SignInKind): Promise<boolean> {
  const other = otherKind(kind);
  if (hasEndedHere(kind) || !mayBeSignedIn(other)) return false;
  return (await knownSignIn(other)).status === 'in';
}

/** ROUTE-9 for /login: redirects a signed-in person. */
export async function guardLogin(): Promise<string | undefined> {
  const signIn = await knownSignIn('staff');
  return signIn.status === 'in' ? sendTo(afterSignIn(signIn), 'staff') : undefined;
}

/**
 * ROUTE-9 for /link without a code. Redirects staff unless this tab is a patient's, and a patient to the next visit. Sends
 * a request only when a sign-in is likely, so that the form appears immediately for others.
 */
export async function guardLink(): Promise<string | undefined> {
  const isPatients = (next?.path === to.link() ? next.kind : currentSignIn().kind) === 'patient';
  const kinds: SignInKind[] = isPatients ? ['patient'] : ['staff', 'patient'];
  for (const kind of kinds.filter(mayBeSignedIn)) {
    const signIn = await knownSignIn(kind);
    if (signIn.status !== 'in') continue;
    return sendTo(returnOf(signIn) ?? (kind === 'patient' ? await nextVisitOf(signIn) : homeOf(signIn)), kind);
  }
  return undefined;
}

/** ROUTE-2: a patient's next visit, else the visit of their code. */
async function nextVisitOf(signIn: SignInState): Promise<string> {
  setTabKind('patient');
  const next = await send(listMyAppointments).catch(() => undefined);
  const [visit] = next?.data ?? [];
  return visit ? to.appointmentPatient({ uid: visit.appointmentUid }) : homeOf(signIn);
}
