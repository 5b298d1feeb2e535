import { timingSafeEqual } from 'node:crypto';
import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import { type Call, fillPath, type ParamsOf } from '@roomside/contract/call.ts';
import type { VerifiedToken } from '../access-token.ts';
import { type AnyCaller, personIdOf } from '../caller.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';

/** How long a signed address opens its object, ms. The sign-in is checked each time. */
export const addressLifetimeMs = 10 * 60_000;

interface Parts {
  readonly keys: Keys;
  readonly clock: Clock;
}

/** Who a request is from: by an access token or by a signed address. */
export type Signer = Pick<VerifiedToken, 'signInId' | 'caller'> & {
  readonly claims: Pick<TokenClaims, 'company' | 'roles' | 'sub'>;
};

/** The ids of a caller, and until when (ms) the address is valid. */
type Access = readonly [signInId: number, until: number, role: AnyCaller['role'], id: number, companyId: number];

/**
 * Returns the address of a call for elements of a page, which send no access token: with a keyed hash of the call, its path,
 * the caller's sign-in and the end of its validity. It may be seen by the caller only; the server does not log its query.
 */
export function signAddress<C extends Call>(parts: Parts, call: C, params: ParamsOf<C>, caller: AnyCaller): string {
  if (!call.addressable) throw new Error(`${call.name} is not addressable.`);
  const path = fillPath(call.path, params as Record<string, string | number>);
  const id = personIdOf(caller);
  const companyId = 'companyId' in caller ? caller.companyId : 0;
  const access: Access = [caller.signInId, parts.clock.now() + addressLifetimeMs, caller.role, id, companyId];
  const content = Buffer.from(JSON.stringify(access)).toString('base64url');
  return `${path}?access=${content}.${macOf(parts, call, path, content).toString('base64url')}`;
}

/** Returns who a signed address was made for; `forged` unless it was signed here, for this call and path. */
export function verifyAddress(parts: Parts, call: Call, path: string, access: string): Signer | 'expired' | 'forged' {
  const [content = '', mac = ''] = access.split('.');
  const given = Buffer.from(mac, 'base64url');
  const expected = macOf(parts, call, path, content);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
  const [signInId, until, role, id, companyId] = JSON.parse(Buffer.from(content, 'base64url').toString()) as Access;
  if (until <= parts.clock.now()) return 'expired';
  const roles = role === 'Super' ? 'A' : role;
  return { signInId, caller: role, claims: { roles, sub: String(id), ...(companyId > 0 && { company: companyId }) } };
}

const macOf = ({ keys }: Parts, call: Call, path: string, content: string) =>
  keys.mac('address', `${call.name} ${path} ${content}`);
