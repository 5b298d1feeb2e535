import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import type { Caller } from '@roomside/contract/permissions.ts';
import { jwtVerify, SignJWT } from 'jose';
import type { AnyCaller } from './caller.ts';
import type { Clock } from './clock.ts';
import type { Keys } from './keys.ts';

/** Seconds an access token lives (decisions, 2). */
const LIFETIME = 600;

interface Needs {
  keys: Keys;
  clock: Clock;
}

/** ENTITY-4, a JWT (RFC 7519) signed with HS256; `sid` is the sign-in that each request is checked against. */
export async function createAccessToken({ keys, clock }: Needs, caller: AnyCaller): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  const claims: Omit<TokenClaims, 'sub' | 'exp'> & { sid: number } = {
    ...('companyId' in caller && { company: caller.companyId }),
    roles: caller.role === 'Super' ? 'A' : caller.role,
    given_name: caller.firstName,
    family_name: caller.lastName,
    sn: caller.serial,
    ...(caller.kind === 'patient' && { appointment: caller.appointmentUid }),
    sid: caller.signInId,
  };
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setSubject(String(caller.kind === 'patient' ? caller.patientId : caller.userId))
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME)
    .sign(keys.token);
}

export interface VerifiedToken {
  readonly signInId: number;
  /** Who the token says it is; the database has the last word. A staff token without a company is a Super's. */
  readonly caller: Caller;
  readonly claims: TokenClaims;
}

/** Tokens that have been found good: a signature takes longer to check than most calls to serve. By their key. */
const checked = new WeakMap<Uint8Array, Map<string, VerifiedToken>>();
const maxKnown = 1000;

/** Null for anything but a live access token of ours; only our algorithm and type are accepted. */
export async function verifyAccessToken({ keys, clock }: Needs, token: string): Promise<VerifiedToken | null> {
  let known = checked.get(keys.token);
  if (!known) checked.set(keys.token, (known = new Map()));
  const before = known.get(token);
  if (before && before.claims.exp > clock.now() / 1000) return before;
  known.delete(token);
  try {
    const { payload } = await jwtVerify(token, keys.token, {
      algorithms: ['HS256'],
      typ: 'at+jwt',
      currentDate: new Date(clock.now()),
      requiredClaims: ['sub', 'exp', 'sid', 'roles', 'sn'],
    });
    const claims = payload as unknown as TokenClaims & { sid: number };
    const caller = claims.company === undefined && claims.roles === 'A' ? 'Super' : claims.roles;
    const verified: VerifiedToken = { signInId: claims.sid, caller, claims };
    const [oldest] = known.size < maxKnown ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(token, verified);
    return verified;
  } catch {
    return null;
  }
}
