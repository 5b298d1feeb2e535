import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import { useSyncExternalStore } from 'react';
import { logout, refresh } from './auth-calls.ts';
import { noteInput, takeActivity } from './idle.ts';
import { OfflineError, ProblemError } from './problem.ts';
import { readJson, request } from './request.ts';
import { callerOf, decodeClaims, type SignInState } from './sign-in-state.ts';

/**
 * The sign-in of one tab. A browser can have one of each kind at the same time (staff, patient, guest); a tab has one
 * kind and remembers which. The access token is in memory only, the refresh token in a cookie that scripts cannot read.
 */
interface Held {
  token: string;
  /** By this device's clock, ms: computed from the token's lifetime, so that a wrong clock has no effect. */
  expiresAt: number;
}

const kindKey = 'sign-in:kind';
const hintKey = (kind: SignInKind) => `sign-in:${kind}`;
const idleKey = 'sign-in:idle';
const returnKey = (kind: SignInKind) => `sign-in:return:${kind}`;
/** Set from the sign-out until the server has it: its cookie is valid until then. */
const owedKey = (kind: SignInKind) => `sign-in:owed:${kind}`;
const owesSignOut = (kind: SignInKind) => localStorage.getItem(owedKey(kind)) !== null;
/** Renewal time before the expiry, ms. */
const renewAheadMs = 60_000;
/**
 * Time for the response to a renewal, ms. Its request may have been sent over a connection of a former network; the second one gets the same
 * token when it comes within 30 s.
 */
const renewMs = 10_000;
/** A sign-out that takes longer is sent again later, ms. */
const logoutMs = 10_000;

const held: Partial<Record<SignInKind, Held>> = {};
const renewing: Partial<Record<SignInKind, Promise<string | undefined>>> = {};
const settling: Partial<Record<SignInKind, Promise<boolean>>> = {};
const atLoad = (kind: SignInKind): SignInState => ({ kind, status: owesSignOut(kind) ? 'out' : 'unknown' });
const states: Record<SignInKind, SignInState> = {
  staff: atLoad('staff'),
  patient: atLoad('patient'),
  guest: atLoad('guest'),
};
const storedKind = sessionStorage.getItem(kindKey);
let kind: SignInKind = storedKind === 'patient' || storedKind === 'guest' ? storedKind : 'staff';

/** The last signed-in person since the page was loaded, by user or patient id. */
const lastPerson: Partial<Record<SignInKind, string>> = {};
/** The kinds whose sign-in ended since the page was loaded. */
const endedHere = new Set<SignInKind>();

const listeners = new Set<() => void>();
const otherTabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('sign-in');
otherTabs?.addEventListener('message', (event: MessageEvent<{ kind: SignInKind; type: 'in' | 'out' }>) => {
  const { type, kind: about } = event.data;
  if (type === 'out') drop(about, 'out');
  else if (states[about].status === 'out') drop(about, 'unknown');
});

/** The sign-in state of this tab's kind; a new object after every change. */
export function currentSignIn(): SignInState {
  return states[kind];
}

/** Calls back after every change of the sign-in or of the tab's kind; the returned function stops. */
export function onSignInChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSignIn(): SignInState {
  return useSyncExternalStore(onSignInChange, currentSignIn);
}

/** Sets the kind of this tab; it is kept over a reload. */
export function setTabKind(next: SignInKind): void {
  sessionStorage.setItem(kindKey, next);
  if (kind === next) return;
  kind = next;
  changed();
}

/** Stores the access token of a successful sign-in. */
export function startSignIn(of: SignInKind, accessToken: string): void {
  setTabKind(of);
  // Its cookie has replaced that of an earlier sign-in.
  localStorage.removeItem(owedKey(of));
  accept(of, accessToken);
  otherTabs?.postMessage({ kind: of, type: 'in' });
}

/**
 * Returns the access token of the tab's kind, valid for at least a minute, or undefined without a sign-in. `rejected` is a
 * token that the server refused: it is renewed whatever its age. Throws OfflineError when the server is unreachable and
 * the token has expired.
 */
export async function freshToken(rejected?: string): Promise<string | undefined> {
  return freshTokenOf(kind, rejected);
}

async function freshTokenOf(of: SignInKind, rejected?: string): Promise<string | undefined> {
  const has = held[of];
  if (has && has.token !== rejected && has.expiresAt - Date.now() > renewAheadMs) return has.token;
  if (states[of].status === 'out') return undefined;
  const running = renewing[of];
  if (running) return running;
  const renewal = inTurn(of, () => renew(of)).finally(() => delete renewing[of]);
  renewing[of] = renewal;
  return renewal.catch((error: unknown) => {
    if (error instanceof OfflineError && has && has.token !== rejected && has.expiresAt > Date.now()) return has.token;
    throw error;
  });
}

/** Returns the sign-in of a kind after trying the cookie once; starts to send its owed sign-out. The tab keeps its kind. */
export async function knownSignIn(of: SignInKind = kind): Promise<SignInState> {
  void settleSignOut(of);
  if (states[of].status === 'unknown') await freshTokenOf(of);
  return states[of];
}

/** True when a sign-in of that kind ended since the page was loaded. */
export function hasEndedHere(of: SignInKind): boolean {
  return endedHere.has(of);
}

/** True when this browser seems to have the cookie of that kind; a hint only, since it cannot be read. */
export function mayBeSignedIn(of: SignInKind): boolean {
  return localStorage.getItem(hintKey(of)) !== null || owesSignOut(of);
}

/**
 * Ends this browser's sign-in of the tab's kind in all tabs. Returns false when the server did not get it: the sign-out
 * is owed then, and until it is sent the cookie is not used.
 */
export async function signOut(): Promise<boolean> {
  const of = kind;
  if (states[of].status !== 'out') localStorage.setItem(owedKey(of), '1');
  // The other tabs first: their requests after the server's sign-out would be refused.
  otherTabs?.postMessage({ kind: of, type: 'out' });
  const isSent = await settleSignOut(of);
  drop(of, 'out');
  return isSent;
}

/** Sends an owed sign-out. Returns false while it is still owed. */
export async function settleSignOut(of: SignInKind): Promise<boolean> {
  if (!owesSignOut(of)) return true;
  settling[of] ??= inTurn(`out:${of}`, () => sendOwed(of)).finally(() => delete settling[of]);
  return settling[of];
}

async function sendOwed(of: SignInKind): Promise<boolean> {
  if (!owesSignOut(of)) return true;
  try {
    const signal = AbortSignal.timeout(logoutMs);
    await request({ method: logout.method, url: logout.path, body: { kind: of }, signal });
  } catch {
    return false;
  }
  localStorage.removeItem(owedKey(of));
  return true;
}

/** Resolves when no sign-out is being sent: its response would remove the cookie of a new sign-in. */
export async function whenNoSignOutRuns(): Promise<void> {
  await Promise.all(Object.values(settling));
}

/** What the idle time has done to the staff's sign-in of this browser; null after the next sign-in. */
export function idleEnd(): 'ended' | 'paused' | null {
  const end = localStorage.getItem(idleKey);
  return end === 'ended' || end === 'paused' ? end : null;
}

/** Before a sign-out after the idle time: the sign-in page says so in all tabs. */
export function noteIdleEnd(): void {
  localStorage.setItem(idleKey, 'ended');
}

/**
 * Closes the staff's pages in all tabs, as a sign-out does, but keeps the sign-in: {@link continueSignIn} opens them again
 * (decision 027). A new load of a page does too, like a new start of the browser.
 */
export function pauseSignIn(): void {
  localStorage.setItem(idleKey, 'paused');
  otherTabs?.postMessage({ kind: 'staff', type: 'out' });
  drop('staff', 'out');
}

/** Continues a paused sign-in in all tabs, as input of the user. Its status is 'out' when it has ended meanwhile. */
export async function continueSignIn(): Promise<SignInState> {
  noteInput();
  drop('staff', 'unknown');
  const signIn = await knownSignIn('staff');
  localStorage.removeItem(idleKey);
  if (signIn.status === 'in') otherTabs?.postMessage({ kind: 'staff', type: 'in' });
  return signIn;
}

interface Return {
  path: string;
  /** The signed-in person when the page was requested; null = unauthenticated. */
  sub: string | null;
}

/** ROUTE-9: stores the requested path before the sign-in. */
export function rememberReturn(path: string, of: SignInKind = kind): void {
  const wanted: Return = { path, sub: lastPerson[of] ?? null };
  sessionStorage.setItem(returnKey(of), JSON.stringify(wanted));
}

/** Returns the stored path of a kind once, and only to the same person. */
export function takeReturn(of: SignInKind = kind): string | undefined {
  const kept = readReturn(of);
  sessionStorage.removeItem(returnKey(of));
  if (!kept) return undefined;
  const { path, sub } = kept;
  const signIn = states[of];
  const isAnother = sub !== null && signIn.status === 'in' && signIn.claims.sub !== sub;
  return isAnother ? undefined : path;
}

/** The path that this tab was asked for before the sign-in; it stays stored. */
export function requestedPath(of: SignInKind): string | undefined {
  return readReturn(of)?.path;
}

function readReturn(of: SignInKind): Return | undefined {
  const kept = sessionStorage.getItem(returnKey(of));
  return kept === null ? undefined : (JSON.parse(kept) as Return);
}

async function renew(of: SignInKind): Promise<string | undefined> {
  if (owesSignOut(of)) {
    drop(of, 'out');
    return undefined;
  }
  const wasIn = states[of].status === 'in';
  try {
    const body = { kind: of, active: takeActivity() };
    const ask = async () => {
      const response = await request({ method: refresh.method, url: refresh.path, body, timeoutMs: renewMs });
      return (await readJson(response)) as { signedIn: boolean; accessToken?: string };
    };
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof OfflineError) return ask();
      throw error;
    });
    // Signed out while it was renewed.
    if (states[of].status === 'out' || owesSignOut(of)) return undefined;
    // Another tab has noted the end of the idle time, and its message has not arrived yet.
    const isIdle = wasIn && of === 'staff' && idleEnd() !== null;
    if (!isIdle && answer.signedIn && answer.accessToken) return accept(of, answer.accessToken);
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) throw error;
  }
  drop(of, 'out');
  return undefined;
}

/** Tabs renew one after another, since the refresh token rotates, and one sends a sign-out. */
function inTurn<T>(what: SignInKind | `out:${SignInKind}`, work: () => Promise<T>): Promise<T> {
  if (typeof navigator === 'undefined' || !navigator.locks) return work();
  return navigator.locks.request(`sign-in:${what}`, work) as Promise<T>;
}

function accept(of: SignInKind, token: string): string {
  const claims = decodeClaims(token);
  const lifeSeconds = claims.exp - (claims.iat ?? claims.exp - 600);
  held[of] = { token, expiresAt: Date.now() + lifeSeconds * 1000 };
  localStorage.setItem(hintKey(of), '1');
  if (of === 'staff') localStorage.removeItem(idleKey);
  states[of] = { kind: of, status: 'in', claims, caller: callerOf(claims) };
  lastPerson[of] = claims.sub;
  endedHere.delete(of);
  changed();
  return token;
}

function drop(of: SignInKind, status: 'out' | 'unknown'): void {
  delete held[of];
  if (status === 'out') localStorage.removeItem(hintKey(of));
  if (states[of].status === status) return;
  if (states[of].status === 'in' && status === 'out') endedHere.add(of);
  states[of] = { kind: of, status };
  changed();
}

function changed(): void {
  for (const listener of [...listeners]) listener();
}
