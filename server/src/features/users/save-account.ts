import { type Account, saveAccount as call } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import { requireNamesWithoutAddresses } from '../../platform/checked-names.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import type { Tx } from '../../platform/database/database.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { endOtherSignIns } from '../../platform/end-sign-ins.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { checkVersion, fieldRefusal, notFound, Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { searchTextOf } from '../../platform/user-search.ts';
import { isEasyToGuess } from '../auth/password-strength.ts';
import { type EmailChangedJob, emailChangedQueue } from '../notifications/deliver-email-changed.ts';

/**
 * Saves the caller's own record. A new password, email or phone requires the current password, or a confirmation by a user without one, and
 * revokes the user's other sign-ins. A new email is announced to the old address.
 */
export const saveAccount = forUsersInSteps(call, async ({ context, body, now, look, commit }) => {
  const before = await look(async (tx, caller) => ({
    ...(await readStored(tx, caller, body, 'read')),
    userId: caller.userId,
  }));
  const email = body.email.trim();
  const phone = body.phone ? toE164(body.phone) : '';
  const { passwordString } = body;
  const isNewEmail = email.toLowerCase() !== before.email.toLowerCase();
  const isSensitive = passwordString !== undefined || isNewEmail || phone !== before.phone;
  if (isSensitive && before.password_hash === null) await look((tx, caller) => requireConfirmed(tx, caller, now));
  else if (isSensitive) {
    const attempts = await throttle(context, [{ scope: 'device', subject: `own account ${before.userId}` }]);
    if (!(await context.passwords.verify(body.currentPassword ?? '', before.password_hash, 'known')))
      throw fieldRefusal('wrong-password', 'currentPassword');
    await attempts.forgive();
  }
  if (passwordString !== undefined) {
    await throttle(context, [{ scope: 'new-password', subject: `user ${before.userId}` }]);
    const personalWords = [body.firstName, body.lastName, email, before.companyName];
    if (await isEasyToGuess(passwordString, personalWords)) throw fieldRefusal('common-password', 'passwordString');
  }
  const newHash = passwordString === undefined ? null : await context.passwords.hash(passwordString, 'known');

  return commit(async (tx, caller, afterCommit) => {
    // The save is refused when the row has changed since the checks above.
    const stored = await readStored(tx, caller, body, 'lock');
    if (stored.password_hash !== before.password_hash) throw stale(stored.version);
    requireNamesWithoutAddresses(caller, {
      firstName: { name: body.firstName, stored: stored.first_name },
      lastName: { name: body.lastName, stored: stored.last_name },
    });
    const firstName = body.firstName.trim();
    const lastName = body.lastName.trim();
    await tx
      .updateTable('users')
      .set({
        first_name: firstName,
        last_name: lastName,
        email,
        search: searchTextOf({ firstName, lastName, email }),
        phone,
        notification_type: body.notificationType,
        version: sql`version + 1`,
        ...(newHash !== null && { password_hash: newHash }),
      })
      .where('user_id', '=', caller.userId)
      .execute()
      .catch((error: { code?: string }) => {
        throw error.code === sqlStates.uniqueViolation ? fieldRefusal('email-taken', 'email') : error;
      });
    if (isSensitive) await endOtherSignIns({ tx, context, now }, caller.userId, caller.signInId);
    if (isNewEmail) {
      const job: EmailChangedJob = { userId: caller.userId, oldEmail: stored.email };
      await context.jobs.send(tx, emailChangedQueue, job);
    }
    // Calendars and forms show the names of providers.
    if (caller.kind === 'staff' && (firstName !== stored.first_name || lastName !== stored.last_name))
      afterCommit(() => context.push.company(caller.companyId));
    return { version: stored.version + 1 };
  });
});

/** Reads the caller's row. With 'lock' the row is locked until the transaction ends. */
async function readStored(
  tx: Tx,
  caller: StaffCaller | SuperCaller,
  body: Pick<Account, 'userId' | 'version'>,
  mode: 'read' | 'lock',
) {
  const stored = await tx
    .selectFrom('users as u')
    .leftJoin('companies as c', 'c.company_id', 'u.company_id')
    .select([
      'u.version',
      'u.first_name',
      'u.last_name',
      'u.email',
      'u.phone',
      'u.password_hash',
      sql<string>`coalesce(c.company_name, '')`.as('companyName'),
    ])
    .where('u.user_id', '=', caller.userId)
    .$if(mode === 'lock', (query) => query.forNoKeyUpdate('u'))
    .executeTakeFirst();
  if (!stored || body.userId !== caller.userId) throw notFound();
  checkVersion(stored, body.version);
  return stored;
}

const stale = (version: number) => new Refusal('stale', { current: { version } });
