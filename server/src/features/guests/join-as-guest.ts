import { joinAsGuest as call } from '@roomside/contract/guests/calls.ts';
import { createAccessToken } from '../../platform/access-token.ts';
import { endGuestSignIns } from '../../platform/end-sign-ins.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { readCookie, setCookie } from '../auth/cookies.ts';
import { requireOwnPage } from '../auth/own-page.ts';
import { renewForGuest } from '../auth/renew.ts';
import { signIn } from '../auth/sign-in.ts';
import { countInvalidLink, openLink } from './open-link.ts';

/** Signs a guest in. The same link on another device ends the sign-in of the first. */
export const joinAsGuest = forAnyone(call, async (attempt) => {
  const { context, body, request, reply, now } = attempt;
  requireOwnPage(context, request);
  return context.db
    .open({ kind: 'unauthenticated' }, async (tx) => {
      const { guestId, companyId } = await openLink(tx, attempt, body.link);
      const renewed = await renewForGuest(tx, attempt, readCookie(context, request, 'guest'), guestId);
      if (renewed) {
        setCookie(context, reply, 'guest', renewed.refreshToken, renewed.remember);
        return { signedIn: true as const, accessToken: await createAccessToken(context, renewed.caller) };
      }
      await endGuestSignIns({ tx, context, now }, guestId);
      return signIn(tx, attempt, { kind: 'guest', companyId, guestId }, { remember: false, action: call.name });
    })
    .catch((error: unknown) => countInvalidLink(attempt, error));
});
