import { finishExternalSignIn as call, secondStepQuery } from '@roomside/contract/external-sign-in/calls.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { isUnreachable } from '../../platform/provider-requests.ts';
import { readExternalCookie, setTicketCookie } from '../auth/cookies.ts';
import { lockUser, type SignInAttempt, signInUser } from '../auth/sign-in.ts';
import { mayVouchFor, type Provider, providerById } from '../brands/providers.ts';
import { takeBegun } from './begun.ts';
import { ExternalSignInFailed, orToLogin } from './failed.ts';
import { type Expected, type ExternalAccount, readAnswer } from './openid.ts';

/**
 * CALL-23: a provider's answer signs the user in, as a correct password does: a user with a second factor is asked for it. The
 * page asks for the ticket of that step (`continueExternalSignIn`).
 */
export const finishExternalSignIn = forAnyone(call, async (attempt) => {
  const { context, query, reply } = attempt;
  return orToLogin(attempt, call, async () => {
    const { provider, expected } = await takeProvider(attempt, query.state ?? '');
    if (query.error !== undefined)
      throw new ExternalSignInFailed(query.error === 'access_denied' ? 'cancelled' : 'provider-error');
    const account = await accountOf(attempt, provider, answerOf(query), expected);
    const signedIn = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
      const userId = await userOf(tx, attempt, provider, account);
      await lockUser(tx, userId);
      // It may have been disconnected before the lock.
      if ((await findUser(tx, provider, account))?.user_id !== userId) throw new ExternalSignInFailed('expired');
      // Links of other sites open this address without the cookie of a trusted device.
      return signInUser(tx, attempt, { userId, remember: false, action: call.name, mayTrustDevice: false });
    });
    if (signedIn.signedIn) return { location: '/#/login' };
    setTicketCookie(context, reply, signedIn.ticket);
    return { location: `/#/login?${secondStepQuery.name}=${secondStepQuery.value}` };
  });
});

const answerOf = (query: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** @throws ExternalSignInFailed `expired`: not begun by this browser, used, or too late */
async function takeProvider(
  { context, request, now }: SignInAttempt,
  state: string,
): Promise<{ provider: Provider; expected: Expected }> {
  const browser = readExternalCookie(context, request);
  if (state === '' || browser === undefined) throw new ExternalSignInFailed('expired');
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const begun = await takeBegun(tx, context.keys, { state, browser, now });
    const provider = begun && (await providerById(tx, context.keys, begun.providerId));
    if (!begun || !provider) throw new ExternalSignInFailed('expired');
    return { provider, expected: begun.expected };
  });
}

/** @throws ExternalSignInFailed `provider-unreachable` or `provider-error` */
async function accountOf(
  { context }: SignInAttempt,
  provider: Provider,
  answer: Record<string, string>,
  expected: Expected,
): Promise<ExternalAccount> {
  try {
    return await readAnswer(context, provider, answer, expected);
  } catch (error) {
    const reason = isUnreachable(error) ? 'provider-unreachable' : 'provider-error';
    throw new ExternalSignInFailed(reason, { cause: error });
  }
}

interface FoundUser {
  readonly user_id: number;
  readonly company_id: number | null;
  readonly blocked_by: 'user' | 'company' | null;
}

/**
 * Returns the user of an account: by provider and subject, and the first time by the verified email.
 *
 * @throws ExternalSignInFailed
 */
async function userOf(tx: Tx, attempt: SignInAttempt, provider: Provider, account: ExternalAccount): Promise<number> {
  const user = (await findUser(tx, provider, account)) ?? (await linkUser(tx, attempt, provider, account));
  if (user.blocked_by !== null) {
    const reason = user.blocked_by === 'user' ? 'user-disabled' : 'company-disabled';
    throw new ExternalSignInFailed(reason, { user });
  }
  return user.user_id;
}

async function findUser(tx: Tx, { issuer }: Provider, { subject }: ExternalAccount): Promise<FoundUser | undefined> {
  const { rows } = await sql<FoundUser>`select * from auth_external_user(${issuer}, ${subject})`.execute(tx);
  return rows[0];
}

async function linkUser(
  tx: Tx,
  { now, address, request }: SignInAttempt,
  provider: Provider,
  { subject, email }: ExternalAccount,
): Promise<FoundUser> {
  if (email === null) throw new ExternalSignInFailed('unverified-email');
  if (!mayVouchFor(provider, email)) throw new ExternalSignInFailed('unknown-user');
  const { rows } = await sql<FoundUser & { linked: boolean }>`
    select * from auth_link_external(${email}, ${provider.issuer}, ${subject})`.execute(tx);
  const [user] = rows;
  if (!user) throw new ExternalSignInFailed('unknown-user');
  if (!user.linked) throw new ExternalSignInFailed('other-account', { user });
  if (user.blocked_by === null)
    audit(tx, {
      caller: null,
      actor: `user_${user.user_id}`,
      companyId: user.company_id,
      at: now,
      action: 'linkExternalUser',
      path: '',
      objects: { userId: user.user_id, providerId: provider.providerId },
      address,
      requestId: request.id,
    });
  return user;
}
