import type { SecondStepMethod } from '@roomside/contract/auth/calls.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { type RawBuilder, sql } from 'kysely';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { countRecoveryCodes } from './recovery-codes.ts';

/** When the user's authenticator was added; null without one. */
export async function authenticatorSince(tx: Tx, userId: number): Promise<string | null> {
  const row = await tx
    .selectFrom('authenticators')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.confirmed_at ?? null;
}

/** The user's passkeys, the oldest first. */
export const passkeysOf = (tx: Tx, userId: number) =>
  tx
    .selectFrom('passkeys')
    .select(['passkey_id', 'name', 'created_at', 'used_at'])
    .where('user_id', '=', userId)
    .orderBy('passkey_id')
    .execute();

/** The ways to complete a sign-in, in the order to offer them; none = the user has no second factor. */
export async function secondStepMethodsOf(tx: Tx, userId: number): Promise<SecondStepMethod[]> {
  const methods: SecondStepMethod[] = [];
  if ((await passkeysOf(tx, userId)).length > 0) methods.push('passkey');
  if ((await authenticatorSince(tx, userId)) !== null) methods.push('authenticator');
  if (methods.length === 0) return [];
  return (await countRecoveryCodes(tx, userId)) > 0 ? [...methods, 'recovery'] : methods;
}

/** Whether signing in asks for a second factor. */
export const hasFactor = async (tx: Tx, userId: number): Promise<boolean> =>
  (await secondStepMethodsOf(tx, userId)).length > 0;

/** The same as a condition on a user's id, for lists. */
export const hasFactorOf = (userId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(exists (select from passkeys k where k.user_id = ${userId})
    or exists (select from authenticators f where f.user_id = ${userId} and f.secret is not null))`;

/** How many users of a company, or Supers (null), can sign in with a password alone. */
export async function countUsersWithoutFactor(tx: Tx, companyId: number | null): Promise<number> {
  const { count } = await tx
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('company_id', companyId === null ? 'is' : '=', companyId)
    .where('disabled', '=', false)
    .where(sql<boolean>`not ${hasFactorOf(sql.ref('users.user_id'))}`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * After one factor was removed. Without any other one, recovery codes and trusted devices have no meaning.
 *
 * @throws Refusal `last-factor` when it was the last one and the user's company requires one
 */
export async function requireFactorOrForget(
  tx: Tx,
  caller: Pick<StaffCaller, 'userId' | 'companyId' | 'timeZone'> | Pick<SuperCaller, 'userId'>,
  now: string,
): Promise<void> {
  const { userId } = caller;
  if (await hasFactor(tx, userId)) return;
  if ('companyId' in caller && (await isRequired(tx, caller, now))) throw new Refusal('last-factor');
  for (const table of ['recovery_codes', 'trusted_devices'] as const)
    await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}

async function isRequired(
  tx: Tx,
  { companyId, timeZone }: Pick<StaffCaller, 'companyId' | 'timeZone'>,
  now: string,
): Promise<boolean> {
  const { second_factor_from: from } = await tx
    .selectFrom('companies')
    .select('second_factor_from')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return from !== null && from <= instantToWall(now, timeZone).day;
}

/** Factors of one user are removed one after the other, so that two requests do not both find another one. */
export const lockFactors = (tx: Tx, userId: number) =>
  tx.selectFrom('users').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute();

/** Removes all that replaces or adds to the user's password. */
export async function removeFactors(tx: Tx, userId: number): Promise<void> {
  for (const table of ['authenticators', 'passkeys', 'recovery_codes', 'trusted_devices'] as const)
    await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}
