import { confirmSignUp as call } from '@roomside/contract/auth/sign-up-calls.ts';
import { sql } from 'kysely';
import { newUid } from '../../platform/access-code.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { UnreadableValue } from '../../platform/envelope.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { searchTextOf } from '../../platform/user-search.ts';
import { newLicense, newLicenseEnds } from '../companies/new-license.ts';
import { rememberDevice } from './known-devices.ts';
import { requireOwnPage } from './own-page.ts';
import { signIn } from './sign-in.ts';
import { hashOfLink, openSignUp, type SignUpValues } from './sign-up-rows.ts';
import { countUsedLink } from './used-links.ts';

/**
 * Creates the company of a sign-up and its first administrator, and signs in. The link shows that the email is the reader's, the password
 * that the reader has signed up: without it, a stranger could create an account with another person's email and a password that the stranger knows.
 */
export const confirmSignUp = forAnyone(call, async (attempt) => {
  const { context, body, request, reply, now } = attempt;
  requireOwnPage(context, request);
  const found = await context.db
    .open({ kind: 'unauthenticated' }, (tx) => findSignUp(tx, context, body.token, now))
    .catch((error: unknown) => countUsedLink(attempt, error));
  const { forgive } = await throttle(context, [
    { scope: 'account', subject: `sign-up ${found.signUpUid}` },
    ...attemptsOf('address', attempt.address),
  ]);
  if (!(await context.passwords.verify(body.password, found.values.passwordHash, 'unknown'))) {
    throw fieldRefusal('wrong-password', 'password', wrongPassword);
  }
  const signedIn = await context.db
    .open({ kind: 'unauthenticated' }, async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('sign_ups')
        .where('sign_up_uid', '=', found.signUpUid)
        .executeTakeFirst();
      // Of two at the same time, one finds it.
      if (numDeletedRows === 0n) throw new Refusal('link-used');
      const userId = await createCompany(tx, found.values, now);
      return {
        userId,
        response: await signIn(tx, attempt, { kind: 'staff', userId }, { remember: false, action: call.name }),
      };
    })
    .catch((error: unknown) => countUsedLink(attempt, error));
  rememberDevice(context, request, reply, signedIn.userId);
  await forgive();
  return signedIn.response;
});

const wrongPassword = 'This isn’t the password that you chose.';

/** @throws Refusal `link-used` */
async function findSignUp(tx: Tx, { keys }: Pick<Context, 'keys'>, token: string, now: string) {
  const row = await tx
    .selectFrom('sign_ups')
    .select(['sign_up_uid', 'sealed'])
    .where('token_hash', '=', hashOfLink(keys, token))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (!row) throw new Refusal('link-used');
  try {
    return { signUpUid: row.sign_up_uid, values: openSignUp(keys, row.sign_up_uid, row.sealed) };
  } catch (error) {
    throw error instanceof UnreadableValue ? new Refusal('link-used') : error;
  }
}

/** Returns the id of the first administrator. */
async function createCompany(tx: Tx, values: SignUpValues, now: string): Promise<number> {
  const { companyName, timeZone, email, passwordHash } = values;
  const names = { firstName: values.firstName.trim(), lastName: values.lastName.trim(), email };
  const { rows } = await sql<{ user_id: number }>`select create_signed_up_company(
    ${newUid()}, ${companyName.trim()}, ${timeZone}, ${newLicense.providerCount}, ${newLicenseEnds(now, timeZone)},
    ${names.firstName}, ${names.lastName}, ${email}, ${values.phone ? toE164(values.phone) : ''}, ${searchTextOf(names)},
    ${passwordHash}, ${now}) as user_id`
    .execute(tx)
    .catch((error: { code?: string }) => {
      // The email got an account since the mail was sent.
      throw error.code === sqlStates.uniqueViolation ? new Refusal('link-used') : error;
    });
  const [row] = rows;
  if (!row) throw new Error('No company was created.');
  return row.user_id;
}
