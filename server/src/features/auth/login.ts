import { login as call } from '@roomside/contract/auth/calls.ts';
import { sql } from 'kysely';
import { hashCode } from '../../platform/access-code.ts';
import { createAccessToken } from '../../platform/access-token.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { codeLifetime } from '../../platform/open-sign-in.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { readCookie, setCookie } from './cookies.ts';
import { anyDevice, knownDevice, rememberDevice } from './known-devices.ts';
import { renewForAppointment } from './renew.ts';
import { lockUser, type SignInAttempt, signIn, signInUser } from './sign-in.ts';
import { verifyContact } from './verify-contact.ts';
import { countWrongCode } from './wrong-codes.ts';

/** CALL-23: email and password, or a patient's access code. Unknown and wrong give the same response in the same time. */
export const login = forAnyone(call, async (input) => {
  const { isPatient, user } = input.body;
  if (isPatient) return withCode(input, user.email.trim());
  // Under a flood of unknown clients, further attempts are refused before they cost any work.
  if (!anyDevice(input.context, input.request)) input.context.passwords.requireRoom();
  return withPassword(input, user.email.trim(), user.password ?? '', user.remember ?? false);
});

interface KnownUser {
  user_id: number;
  company_id: number | null;
  password_hash: string | null;
  blocked_by: 'user' | 'company' | null;
}

async function withPassword(attempt: SignInAttempt, email: string, password: string, remember: boolean) {
  const { context } = attempt;
  const find = async () =>
    context.db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await sql<KnownUser>`select * from auth_user(${email})`.execute(tx);
      return rows[0];
    });
  const known = await find();
  const device = known ? knownDevice(context, attempt.request, known.user_id) : null;
  const refuse = (code: 'wrong-credentials' | 'company-disabled' | 'too-many', retryAfter?: number) => {
    recordFailure(attempt, known, code);
    return new Refusal(code, { isRecorded: true, ...(retryAfter !== undefined && { retryAfter }) });
  };
  // A known device has its own limit, which attempts from other devices do not use up. The user counts, not the spelling: the database and
  // this code do not fold all letters in the same way.
  const owner = known ? `user ${known.user_id}` : email.toLowerCase();
  const account = `${owner} ${networksOf(attempt.address).customer}`;
  const attempts = await throttle(
    context,
    device === null
      ? [
          { scope: 'account', subject: account },
          { scope: 'email', subject: owner },
          ...attemptsOf('address', attempt.address),
        ]
      : [{ scope: 'device', subject: device }],
  ).catch((error: unknown) => {
    throw error instanceof Refusal ? refuse('too-many', error.details.retryAfter) : error;
  });
  const precedence = device === null ? 'unknown' : 'known';
  const isCorrect = await context.passwords.verify(password, known?.password_hash, precedence);
  if (!isCorrect || !known || known.blocked_by === 'user') throw refuse('wrong-credentials');
  if (known.blocked_by === 'company') throw refuse('company-disabled');
  const signedIn = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    await lockUser(tx, known.user_id);
    // The check took a while. A password that was changed meanwhile is refused.
    const { rows } = await sql<{
      password_hash: string | null;
    }>`select password_hash from auth_user(${email})`.execute(tx);
    if (rows[0]?.password_hash !== known.password_hash) throw refuse('wrong-credentials');
    return signInUser(tx, attempt, { userId: known.user_id, remember, action: 'login', mayTrustDevice: true });
  });
  if (signedIn.signedIn) rememberDevice(context, attempt.request, attempt.reply, known.user_id);
  await attempts.forgive();
  return signedIn;
}

/** Does not record the typed email: it may be a password in the wrong field. */
function recordFailure(attempt: SignInAttempt, known: KnownUser | undefined, reason: string): void {
  attempt.context.security.record({
    action: 'login',
    path: call.path,
    reason,
    actor: known ? `user_${known.user_id}` : 'unknown',
    companyId: known?.company_id ?? null,
    address: attempt.address,
    requestId: attempt.request.id,
  });
}

/**
 * Looks the code up before the rate limit: 70 random bits cannot be guessed, so a correct code is never slowed down.
 * Wrong codes are limited by network.
 */
async function withCode(attempt: SignInAttempt, typed: string) {
  const { context, now } = attempt;
  const [code = '', proof] = typed.split('-');
  try {
    const isProven = proof !== undefined && (await verifyContact(attempt, code, proof));
    return await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
      const { rows } = await sql<{
        appointment_id: number;
        company_id: number;
        patient_id: number;
        blocked_by: 'company' | null;
        requires_proof: boolean;
      }>`
        select * from auth_access_code(${hashCode(context.keys, code)}, ${now}, ${codeLifetime})`.execute(tx);
      const found = rows[0];
      if (!found || (found.requires_proof && !isProven)) throw new Refusal('wrong-code');
      if (found.blocked_by) throw new Refusal('company-disabled');
      const subject = { companyId: found.company_id, patientId: found.patient_id, appointmentId: found.appointment_id };
      // A link that is opened again in the same browser keeps the sign-in, so that the newer tab replaces the older one.
      const renewed = await renewForAppointment(
        tx,
        attempt,
        readCookie(context, attempt.request, 'patient'),
        found.appointment_id,
      );
      if (!renewed) return signIn(tx, attempt, { kind: 'patient', ...subject }, { remember: false, action: 'login' });
      setCookie(context, attempt.reply, 'patient', renewed.refreshToken, renewed.remember);
      return { signedIn: true as const, accessToken: await createAccessToken(context, renewed.caller) };
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'wrong-code') await countWrongCode(attempt);
    throw error;
  }
}
