import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import type { Caller } from '@roomside/contract/permissions.ts';
import { errors, jwtVerify, SignJWT } from 'jose';
import { type AnyCaller, personIdOf } from './caller.ts';
import type { Clock } from './clock.ts';
import type { Keys } from './keys.ts';

/** Lifetime of an access token, seconds (record 003). */
const lifetimeSeconds = 600;

interface TokenParts {
  keys: Keys;
  clock: Clock;
}

/** ENTITY-4, a JWT (RFC 7519) signed with HS256; `sid` is the sign-in that each request is checked against. */
export async function createAccessToken({ keys, clock }: TokenParts, caller: AnyCaller): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  const claims: Omit<TokenClaims, 'sub' | 'exp'> & { sid: number } = {
    ...('companyId' in caller && { company: caller.companyId }),
    roles: caller.role === 'Super' ? 'A' : caller.role,
    given_name: caller.firstName,
    family_name: caller.lastName,
    sn: caller.serial,
    ...('appointmentUid' in caller && { appointment: caller.appointmentUid }),
    sid: caller.signInId,
  };
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setSubject(String(personIdOf(caller)))
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(keys.token);
}

export interface VerifiedToken {
  readonly signInId: number;
  /** The role in the token. The database decides what the caller may do. A staff token without a company is a Super's. */
  readonly caller: Caller;
  readonly claims: TokenClaims;
}

/** Verified tokens by their key: verifying a signature takes longer than serving most calls. */
const verifiedTokens = new WeakMap<Uint8Array, Map<string, VerifiedToken>>();
const maxCachedTokens = 1000;

/** Verifies an access token. Returns `forged` unless it was signed here, as an access token. */
export async function verifyAccessToken(
  { keys, clock }: TokenParts,
  token: string,
): Promise<VerifiedToken | 'expired' | 'forged'> {
  let cache = verifiedTokens.get(keys.token);
  if (!cache) verifiedTokens.set(keys.token, (cache = new Map()));
  const cached = cache.get(token);
  if (cached && cached.claims.exp > clock.now() / 1000) return cached;
  cache.delete(token);
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
    const [oldest] = cache.size < maxCachedTokens ? [] : cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(token, verified);
    return verified;
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'forged';
  }
}
