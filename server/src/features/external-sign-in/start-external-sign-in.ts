import { randomBytes } from 'node:crypto';
import { startExternalSignIn as call, finishExternalSignIn } from '@roomside/contract/external-sign-in/calls.ts';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { isUnreachable } from '../../platform/provider-requests.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { readExternalCookie, setExternalCookie } from '../auth/cookies.ts';
import { providerOfHost } from '../brands/providers.ts';
import { lifetimeMs, storeBegun } from './begun.ts';
import { ExternalSignInFailed, orToLogin } from './failed.ts';
import { requestSignIn } from './openid.ts';

const newSecret = () => randomBytes(24).toString('base64url');
const isSecret = (value: string) => /^[\w-]{32}$/.test(value);

/** LOGIN-2, CALL-23: sends the browser to a provider of its page's brand. The provider sends it back to the same host. */
export const startExternalSignIn = forAnyone(call, async (attempt) => {
  const { context, params, request, reply, address, now } = attempt;
  return orToLogin(attempt, call, async () => {
    await throttle(context, attemptsOf('external', address)).catch((error: unknown) => {
      throw error instanceof Refusal ? new ExternalSignInFailed('too-many') : error;
    });
    const host = request.hostname.toLowerCase();
    const provider = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      providerOfHost(tx, context.keys, { host, providerName: params.providerName }),
    );
    if (!provider) throw new ExternalSignInFailed('provider-error');
    const state = newSecret();
    const asked = await requestSignIn(context, provider, { state, redirectUri: redirectUriOf(context, request) }).catch(
      (error: unknown) => {
        throw isUnreachable(error) ? new ExternalSignInFailed('provider-unreachable', { cause: error }) : error;
      },
    );
    // One secret for all tabs of the browser.
    const known = readExternalCookie(context, request) ?? '';
    const browser = isSecret(known) ? known : newSecret();
    const { expected } = asked;
    await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      storeBegun(tx, context.keys, { state, browser, providerId: provider.providerId, expected, now }),
    );
    setExternalCookie(context, reply, browser, lifetimeMs / 1000);
    return { location: asked.address };
  });
});

/** The host is one of the brand's: others have no provider. */
const redirectUriOf = ({ publicUrl }: Context, { host }: FastifyRequest) =>
  `${new URL(publicUrl).protocol}//${host}${finishExternalSignIn.path}`;
