import { fromCents, toCents } from '@roomside/contract/money.ts';
import { saveUser as call, type UserBody } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import { requireNamesWithoutAddresses } from '../../platform/checked-names.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { endOtherSignIns, recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { checkVersion, fieldRefusal, notFound, Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { requireTrialMessage } from '../../platform/trials.ts';
import { searchTextOf } from '../../platform/user-search.ts';
import { isEasyToGuess } from '../auth/password-strength.ts';
import { type EmailChangedJob, emailChangedQueue } from '../notifications/deliver-email-changed.ts';
import { queuePasswordMail, requireRoomForInvitation } from '../notifications/deliver-password-mail.ts';
import { findUser, lockUsersOf, requireLicense, requireOtherAdministrator, takesLicense } from './user-rows.ts';

type Stored = Awaited<ReturnType<typeof findUser>>;

/**
 * USERS-4 to USERS-6, VALID-5 to VALID-10: creates or saves a user. A new user without a password gets a mail to choose one. What
 * a sign-in depends on (role, disabled, email, password) takes effect on all devices immediately.
 */
export const saveUser = forUsersInSteps(call, async ({ context, body, now, look, commit, touched }) => {
  const { passwordString } = body;
  const before = await look(async (tx, caller) => {
    const stored = body.userId === 0 ? null : await findUser(tx, caller, body.userId);
    return {
      callerId: caller.userId,
      isOwn: body.userId === caller.userId,
      companyName: stored ? stored.company_name : await companyNameOf(tx, caller, body),
      isInvitedAgain: stored !== null && needsInvitation(body, stored),
    };
  });
  if (before.isOwn && passwordString !== undefined) throw new Refusal('own-record');
  if (passwordString !== undefined) {
    await throttle(context, [{ scope: 'new-password', subject: `user ${before.callerId}` }]);
    const words = [body.firstName, body.lastName, body.email, before.companyName];
    if (await isEasyToGuess(passwordString, words)) throw fieldRefusal('common-password', 'passwordString');
  }
  if (before.isInvitedAgain) await requireRoomForInvitation(context, body.userId, now);
  const hash = passwordString === undefined ? null : await context.passwords.hash(passwordString, 'known');

  return commit(async (tx, caller, afterCommit) => {
    const stored = body.userId === 0 ? null : await findUser(tx, caller, body.userId);
    const companyId = stored ? stored.company_id : companyIdOf(caller, body);
    const { providerCount } = await lockUsersOf(tx, companyId);
    const current = stored && (await lockUser(tx, stored.user_id));
    if (current) checkVersion(current, body.version);
    if (current) requireOwnContactUnchanged(caller, body, current);
    requireNamesWithoutAddresses(caller, {
      firstName: { name: body.firstName, stored: current?.first_name },
      lastName: { name: body.lastName, stored: current?.last_name },
    });
    if (companyId === null && body.roleId !== 'A') throw fieldRefusal('invalid', 'roleId', 'Invalid');
    if (current?.external_id && hash !== null) throw new Refusal('not-allowed');
    if (current && administers(current) && (body.disabled || body.roleId !== 'A'))
      await requireOtherAdministrator(tx, companyId, current.user_id);
    const took = current ? takesLicense({ ...current, roleId: current.role_id }) : false;
    if (companyId !== null && takesLicense(body) && !took)
      await requireLicense(tx, companyId, { userId: body.userId, providerCount });

    const isNewEmail = current !== null && hasNewEmail(body, current);
    const isInvited = needsInvitation(body, current);
    // Before the invitation is stored, which it would end.
    if (current && (hash !== null || isNewEmail || (body.disabled && !current.disabled)))
      await endOtherSignIns({ tx, context, now }, current.user_id, 0);
    const userId = await write(tx, { body, hash, companyId, now, isInvited, current });
    touched('userId', userId);
    await writeNotifyFor(tx, companyId, userId, body);
    if (current) {
      if (body.roleId !== current.role_id) recheckSignIns({ tx, context }, { userId });
      if (isNewEmail && (current.password_hash !== null || current.external_id !== null))
        await announceNewEmail(tx, context, userId, current.email);
    }
    if (isInvited && caller.kind === 'staff') await requireTrialMessage(tx, caller.companyId, now);
    if (isInvited) await queuePasswordMail(tx, context, { userId, purpose: 'invite' });
    // Calendars and forms show the company's providers.
    if (companyId !== null) afterCommit(() => context.push.company(companyId));
    const isProvider = !body.disabled && body.roleId !== 'U';
    const upcoming = current && !isProvider ? await countUpcoming(tx, userId, now) : 0;
    return { userId, version: (current?.version ?? -1) + 1, invited: isInvited, upcoming };
  });
});

const hasNewEmail = ({ email }: UserBody, current: Pick<Stored, 'email'>) =>
  email.trim().toLowerCase() !== current.email.toLowerCase();

/** A user without a password gets a link to choose one: a new user, or one with a new email. */
const needsInvitation = (
  body: UserBody,
  current: Pick<Stored, 'email' | 'password_hash' | 'external_id'> | null,
): boolean =>
  body.passwordString === undefined &&
  !body.disabled &&
  !current?.password_hash &&
  !current?.external_id &&
  (!current || hasNewEmail(body, current));

const administers = (user: Pick<Stored, 'role_id' | 'disabled'>) => user.role_id === 'A' && !user.disabled;

/** @throws Refusal `not-found` when an administrator names another company */
function companyIdOf(caller: StaffCaller | SuperCaller, { companyId = 0 }: UserBody): number | null {
  if (caller.kind === 'super') return companyId || null;
  if (companyId !== 0 && companyId !== caller.companyId) throw notFound();
  return caller.companyId;
}

async function companyNameOf(tx: Tx, caller: StaffCaller | SuperCaller, body: UserBody): Promise<string> {
  const companyId = companyIdOf(caller, body);
  if (companyId === null) return '';
  const company = await tx
    .selectFrom('companies')
    .select('company_name')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!company) throw notFound();
  return company.company_name;
}

const lockUser = (tx: Tx, userId: number) =>
  tx
    .selectFrom('users')
    .selectAll()
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound());

/** A new contact of the own record needs the current password, which My Account asks for. */
function requireOwnContactUnchanged(
  caller: StaffCaller | SuperCaller,
  body: UserBody,
  current: Pick<Stored, 'user_id' | 'email' | 'phone'>,
): void {
  if (caller.userId !== current.user_id) return;
  const isSame = body.email.trim() === current.email && (body.phone ? toE164(body.phone) : '') === current.phone;
  if (!isSame) throw new Refusal('own-record');
}

interface Written {
  readonly body: UserBody;
  readonly hash: string | null;
  readonly companyId: number | null;
  readonly now: string;
  readonly isInvited: boolean;
  readonly current: { readonly user_id: number } | null;
}

/** Returns the user's id. */
async function write(tx: Tx, { body, hash, companyId, now, isInvited, current }: Written): Promise<number> {
  const names = { firstName: body.firstName.trim(), lastName: body.lastName.trim(), email: body.email.trim() };
  const values = {
    first_name: names.firstName,
    last_name: names.lastName,
    email: names.email,
    search: searchTextOf(names),
    phone: body.phone ? toE164(body.phone) : '',
    role_id: body.roleId,
    npi: body.npi,
    self_pay_fee: body.selfPayFee === '' ? null : fromCents(toCents(body.selfPayFee)),
    notification_type: body.notificationType,
    disabled: body.disabled,
    ...(hash !== null && { password_hash: hash }),
    ...(isInvited && { invited_at: now, invitation_ended_at: null }),
  };
  const takeEmail = (error: { code?: string }) => {
    throw error.code === sqlStates.uniqueViolation ? fieldRefusal('email-taken', 'email') : error;
  };
  if (current) {
    await tx
      .updateTable('users')
      .set({ ...values, version: sql`version + 1` })
      .where('user_id', '=', current.user_id)
      .execute()
      .catch(takeEmail);
    return current.user_id;
  }
  const inserted = await tx
    .insertInto('users')
    .values({ ...values, company_id: companyId, is_super: companyId === null, created_at: now })
    .returning('user_id')
    .executeTakeFirstOrThrow()
    .catch(takeEmail);
  return inserted.user_id;
}

/** @throws Refusal `invalid` for someone who is no user of the company */
async function writeNotifyFor(
  tx: Tx,
  companyId: number | null,
  userId: number,
  { notifyForUsers }: UserBody,
): Promise<void> {
  if (companyId === null) return;
  await tx.deleteFrom('user_notify_for').where('user_id', '=', userId).execute();
  const ids = [...new Set(notifyForUsers.map((one) => one.userId))];
  if (ids.length === 0) return;
  await tx
    .insertInto('user_notify_for')
    .values(ids.map((doctor_id) => ({ company_id: companyId, user_id: userId, doctor_id })))
    .execute()
    .catch((error: { code?: string }) => {
      throw error.code === sqlStates.foreignKeyViolation ? fieldRefusal('invalid', 'notifyForUsers', 'Invalid') : error;
    });
}

async function announceNewEmail(tx: Tx, context: Context, userId: number, oldEmail: string): Promise<void> {
  const job: EmailChangedJob = { userId, oldEmail };
  await context.jobs.send(tx, emailChangedQueue, job);
}

async function countUpcoming(tx: Tx, userId: number, now: string): Promise<number> {
  const { count } = await tx
    .selectFrom('appointments')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('doctor_id', '=', userId)
    .where('archived_at', 'is', null)
    .where('cancelled', '=', false)
    .where('starts_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}
