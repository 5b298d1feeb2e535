import { signUp as call } from '@roomside/contract/auth/sign-up-calls.ts';
import type { FastifyRequest } from 'fastify';
import { newUid } from '../../platform/access-code.ts';
import type { Context } from '../../platform/context.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { type SignUpMailJob, signUpMailQueue } from './deliver-sign-up-mail.ts';
import { findBrand } from './get-brand.ts';
import { requireOwnPage } from './own-page.ts';
import { isEasyToGuess } from './password-strength.ts';
import { hashOfEmail, sealSignUp } from './sign-up-rows.ts';

/** How long the link of a sign-up works, ms. */
const lifetimeMs = 24 * 3_600_000;

/**
 * Sign-ups of all networks together, in one process. Each takes more processor time than any other request of a stranger: a flood of them must
 * not slow down the clinics that work.
 */
export const signUpsPerMinute = { max: 60, windowMs: 60_000 };

/**
 * ACCOUNT-1: stores the request. Whether the email has an account is looked up by the job that sends the mail, so that known and unknown
 * emails take the same path here.
 */
export const signUp = forAnyone(call, async ({ context, body, request, address, now }) => {
  const { password, ...typed } = body.user;
  requireOwnPage(context, request);
  if (!context.signUpLimit.allows('', Date.parse(now))) throw new Refusal('too-many', { retryAfter: 60 });
  // Judging a password takes processor time, too.
  context.passwords.requireRoom();
  await requireOpenBrand(context, request);
  const email = typed.email.trim();
  await throttle(context, [
    { scope: 'sign-up', subject: `${email.toLowerCase()} ${networksOf(address).customer}` },
    ...attemptsOf('sign-up-address', address),
  ]);
  if (await isEasyToGuess(password, [typed.companyName, typed.firstName, typed.lastName, email])) {
    throw fieldRefusal('common-password', 'user.password');
  }
  const passwordHash = await context.passwords.hash(password, 'unknown');
  const signUpUid = newUid();
  await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    await tx
      .insertInto('sign_ups')
      .values({
        sign_up_uid: signUpUid,
        sealed: sealSignUp(context.keys, signUpUid, { ...typed, email, passwordHash }),
        email_hash: hashOfEmail(context.keys, email),
        created_at: now,
        expires_at: new Date(Date.parse(now) + lifetimeMs).toISOString(),
      })
      .execute();
    const job: SignUpMailJob = { signUpUid };
    await context.jobs.send(tx, signUpMailQueue, job);
  });
  return undefined;
});

/** @throws Refusal `not-allowed` on the pages of a strict brand */
async function requireOpenBrand(context: Context, request: FastifyRequest): Promise<void> {
  const page = request.headers.origin ?? `http://${request.headers.host}`;
  const host = URL.canParse(page) ? new URL(page).hostname : '';
  const { strictMode } = await context.db.open({ kind: 'unauthenticated' }, (tx) => findBrand(tx, host));
  if (strictMode) throw new Refusal('not-allowed');
}
