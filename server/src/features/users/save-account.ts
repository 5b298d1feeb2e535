import { saveAccount as call } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { endOtherSignIns } from '../auth/end-other-sign-ins.ts';
import { hashPassword, isCommonPassword, verifyPassword } from '../auth/passwords.ts';
import { throttle } from '../auth/throttle.ts';
import { toE164 } from '../patients/patient-rows.ts';

const EMAIL_TAKEN = '23505';

/** One's own record. A new password or email wants the present password, and ends the person's other sign-ins. */
export const saveAccount = forUsers(call, async ({ context, caller, body, tx, now, address }) => {
  const stored = await tx
    .selectFrom('users')
    .select(['version', 'email', 'password_hash'])
    .where('user_id', '=', caller.userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored || body.userId !== caller.userId) throw notFound();
  if (stored.version !== body.version) throw new Refusal('stale', { current: { version: stored.version } });
  const email = body.email.trim();
  const delicate = body.passwordString !== undefined || email.toLowerCase() !== stored.email.toLowerCase();
  if (delicate) {
    const attempts = await throttle(context, [
      { scope: 'account', subject: `${stored.email.toLowerCase()} ${address}` },
    ]);
    if (!(await verifyPassword(body.currentPassword ?? '', stored.password_hash)))
      throw fieldRefusal('wrong-password', 'currentPassword');
    await attempts.forgive();
  }
  if (
    body.passwordString !== undefined &&
    isCommonPassword(body.passwordString, [body.firstName, body.lastName, email])
  ) {
    throw fieldRefusal('common-password', 'passwordString');
  }
  try {
    await tx
      .updateTable('users')
      .set({
        first_name: body.firstName.trim(),
        last_name: body.lastName.trim(),
        email,
        phone: body.phone ? toE164(body.phone) : '',
        notification_type: body.notificationType,
        version: sql`version + 1`,
        ...(body.passwordString !== undefined && { password_hash: await hashPassword(body.passwordString) }),
      })
      .where('user_id', '=', caller.userId)
      .execute();
  } catch (error) {
    if ((error as { code?: string }).code === EMAIL_TAKEN) throw fieldRefusal('email-taken', 'email');
    throw error;
  }
  if (delicate) await endOtherSignIns(tx, caller.userId, caller.signInId, now);
  return { version: stored.version + 1 };
});

function fieldRefusal(code: 'wrong-password' | 'common-password' | 'email-taken', field: string): Refusal {
  return new Refusal(code, { fields: { [field]: new Refusal(code).message } });
}
