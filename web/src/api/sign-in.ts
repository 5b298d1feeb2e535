import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import { useSyncExternalStore } from 'react';
import { logout, refresh } from './auth-calls.ts';
import { takeActivity } from './idle.ts';
import { OfflineError, ProblemError } from './problem.ts';
import { readJson, request } from './request.ts';
import { callerOf, decodeClaims, type SignInState } from './sign-in-state.ts';

/**
 * The sign-in of one tab. Two kinds live side by side in a browser (staff and patient); a tab has one of them at a
 * time and remembers which. The access token is in memory only, the refresh token in a cookie that scripts cannot see.
 */
interface Held {
  token: string;
  /** By this device's clock, ms: computed from the token's life, so that a wrong clock does no harm. */
  expiresAt: number;
}

const kindKey = 'sign-in:kind';
const hintKey = (kind: SignInKind) => `sign-in:${kind}`;
const returnKey = (kind: SignInKind) => `sign-in:return:${kind}`;
/** A token is renewed this long before it expires. */
const renewAheadMs = 60_000;

const held: Partial<Record<SignInKind, Held>> = {};
const renewing: Partial<Record<SignInKind, Promise<string | undefined>>> = {};
const sessions: Record<SignInKind, SignInState> = {
  staff: { kind: 'staff', status: 'unknown' },
  patient: { kind: 'patient', status: 'unknown' },
};
let kind: SignInKind = sessionStorage.getItem(kindKey) === 'patient' ? 'patient' : 'staff';

/** Who was signed in last while this page was open, by user or patient id. */
const lastPerson: Partial<Record<SignInKind, string>> = {};
/** The kinds whose sign-in ended while this page was open. */
const endedHere = new Set<SignInKind>();

const listeners = new Set<() => void>();
const otherTabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('sign-in');
otherTabs?.addEventListener('message', (event: MessageEvent<{ kind: SignInKind; type: 'in' | 'out' }>) => {
  const { type, kind: about } = event.data;
  if (type === 'out') drop(about, 'out');
  else if (sessions[about].status === 'out') drop(about, 'unknown');
});

/** The session of this tab's kind; a new object whenever something changed. */
export function currentSignIn(): SignInState {
  return sessions[kind];
}

/** Calls back after every change of the session or of the tab's kind; returns the way to stop. */
export function onSignInChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSignIn(): SignInState {
  return useSyncExternalStore(onSignInChange, currentSignIn);
}

/** Makes this a tab of staff or of a patient; a reload keeps it. */
export function setTabKind(next: SignInKind): void {
  sessionStorage.setItem(kindKey, next);
  if (kind === next) return;
  kind = next;
  changed();
}

/** Takes over the access token of a successful sign-in. */
export function startSignIn(of: SignInKind, accessToken: string): void {
  setTabKind(of);
  accept(of, accessToken);
  otherTabs?.postMessage({ kind: of, type: 'in' });
}

/**
 * The access token of the tab's kind, good for at least a minute, or undefined when nobody is signed in.
 * `rejected` is a token that the server did not take: it is renewed whatever its age. Throws OfflineError when the
 * server is away and the token in hand has expired.
 */
export async function freshToken(rejected?: string): Promise<string | undefined> {
  return freshTokenOf(kind, rejected);
}

async function freshTokenOf(of: SignInKind, rejected?: string): Promise<string | undefined> {
  const has = held[of];
  if (has && has.token !== rejected && has.expiresAt - Date.now() > renewAheadMs) return has.token;
  if (sessions[of].status === 'out') return undefined;
  const running = renewing[of];
  if (running) return running;
  const renewal = inTurn(of, () => renew(of)).finally(() => delete renewing[of]);
  renewing[of] = renewal;
  return renewal.catch((error: unknown) => {
    if (error instanceof OfflineError && has && has.token !== rejected && has.expiresAt > Date.now()) return has.token;
    throw error;
  });
}

/** The session of a kind, after trying the cookie where that has not been done yet. The tab keeps its kind. */
export async function knownSignIn(of: SignInKind = kind): Promise<SignInState> {
  if (sessions[of].status === 'unknown') await freshTokenOf(of);
  return sessions[of];
}

/** True when a sign-in of that kind ended while this page was open. */
export function hasEndedHere(of: SignInKind): boolean {
  return endedHere.has(of);
}

/** True when this browser seems to hold a sign-in of that kind; only a hint, the cookie itself is out of reach. */
export function mayBeSignedIn(of: SignInKind): boolean {
  return localStorage.getItem(hintKey(of)) !== null;
}

/** Ends this browser's sign-in of the tab's kind, in all its tabs, even when the server does not answer. */
export async function signOut(): Promise<void> {
  const of = kind;
  const mayBeIn = sessions[of].status !== 'out';
  // First the other tabs: a request that one of them makes after the server's part would be refused.
  otherTabs?.postMessage({ kind: of, type: 'out' });
  if (mayBeIn) {
    await request({ method: logout.method, url: logout.path, body: { kind: of } }).catch(() => undefined);
  }
  drop(of, 'out');
}

interface Return {
  path: string;
  /** Who was signed in when the page was wanted; null = unauthenticated. */
  sub: string | null;
}

/** ROUTE-9: where the person wanted to go before being asked to sign in. */
export function rememberReturn(path: string, of: SignInKind = kind): void {
  const wanted: Return = { path, sub: lastPerson[of] ?? null };
  sessionStorage.setItem(returnKey(of), JSON.stringify(wanted));
}

/** The remembered path of a kind, once; what one person wanted is not given to another. */
export function takeReturn(of: SignInKind = kind): string | undefined {
  const kept = sessionStorage.getItem(returnKey(of));
  sessionStorage.removeItem(returnKey(of));
  if (kept === null) return undefined;
  const { path, sub } = JSON.parse(kept) as Return;
  const session = sessions[of];
  const isAnother = sub !== null && session.status === 'in' && session.claims.sub !== sub;
  return isAnother ? undefined : path;
}

async function renew(of: SignInKind): Promise<string | undefined> {
  try {
    const body = { kind: of, active: takeActivity() };
    const response = await request({ method: refresh.method, url: refresh.path, body });
    const answer = (await readJson(response)) as { signedIn: boolean; accessToken?: string };
    if (answer.signedIn && answer.accessToken) return accept(of, answer.accessToken);
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
  }
  drop(of, 'out');
  return undefined;
}

/** Tabs take turns, so that one rotation of the refresh token follows the other. */
function inTurn<T>(of: SignInKind, work: () => Promise<T>): Promise<T> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work();
  return navigator.locks.request(`sign-in:${of}`, work) as Promise<T>;
}

function accept(of: SignInKind, token: string): string {
  const claims = decodeClaims(token);
  const lifeSeconds = claims.exp - (claims.iat ?? claims.exp - 600);
  held[of] = { token, expiresAt: Date.now() + lifeSeconds * 1000 };
  localStorage.setItem(hintKey(of), '1');
  sessions[of] = { kind: of, status: 'in', claims, caller: callerOf(claims) };
  lastPerson[of] = claims.sub;
  endedHere.delete(of);
  changed();
  return token;
}

function drop(of: SignInKind, status: 'out' | 'unknown'): void {
  delete held[of];
  if (status === 'out') localStorage.removeItem(hintKey(of));
  if (sessions[of].status === status) return;
  if (sessions[of].status === 'in' && status === 'out') endedHere.add(of);
  sessions[of] = { kind: of, status };
  changed();
}

function changed(): void {
  for (const listener of [...listeners]) listener();
}
