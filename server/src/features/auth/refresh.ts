import { refresh as call } from '@roomside/contract/auth/calls.ts';
import { createAccessToken } from '../../platform/access-token.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { requireOwnPage } from './own-page.ts';
import { readRefreshToken } from './refresh-token.ts';
import { renew } from './renew.ts';

/** Rotates the refresh token. A token that is used again after the grace period revokes the sign-in (record 003). */
export const refresh = forAnyone(call, async (attempt) => {
  const { context, body, request, reply } = attempt;
  requireOwnPage(context, request);
  const { kind, active } = body;
  const token = readCookie(context, request, kind);
  const read = token === undefined ? null : readRefreshToken(token);
  const renewed =
    read && (await context.db.open({ kind: 'unauthenticated' }, (tx) => renew(tx, attempt, read, kind, active)));
  if (!renewed) {
    if (token !== undefined) clearCookie(context, reply, kind);
    return { signedIn: false as const };
  }
  setCookie(context, reply, kind, renewed.refreshToken, renewed.remember);
  return { signedIn: true as const, accessToken: await createAccessToken(context, renewed.caller) };
});
