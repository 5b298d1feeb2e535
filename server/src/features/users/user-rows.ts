import { type SqlBool, sql } from 'kysely';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { openLicenseProviders } from '../charges/charge-rows.ts';

/**
 * Reads a user whom the caller may manage: an administrator those of the own company, a Super all.
 *
 * @throws Refusal `not-found`
 */
export async function findUser(tx: Tx, caller: StaffCaller | SuperCaller, userId: number) {
  const row = await tx
    .selectFrom('users as u')
    .leftJoin('companies as c', 'c.company_id', 'u.company_id')
    .selectAll('u')
    .select(sql<string>`coalesce(c.company_name, '')`.as('company_name'))
    .select(sql<string>`coalesce(c.front_end_url, '')`.as('front_end_url'))
    .where('u.user_id', '=', userId)
    .$if(caller.kind === 'staff', (q) => q.where('u.company_id', '=', (caller as StaffCaller).companyId))
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * Locks what all changes of a company's users depend on: the company's row; for administrators of the installation their own
 * rows. Call it first, so that two changes at the same time follow each other.
 *
 * @throws Refusal `not-found` for an unknown company
 */
export async function lockUsersOf(tx: Tx, companyId: number | null): Promise<{ providerCount: number }> {
  if (companyId === null) {
    await tx
      .selectFrom('users')
      .select('user_id')
      .where('is_super', '=', true)
      .orderBy('user_id')
      .forUpdate()
      .execute();
    return { providerCount: 0 };
  }
  const company = await tx
    .selectFrom('companies')
    .select('provider_count')
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!company) throw notFound();
  return { providerCount: company.provider_count };
}

const usersOf = (tx: Tx, companyId: number | null) =>
  tx
    .selectFrom('users')
    .where((eb) => (companyId === null ? eb('is_super', '=', true) : eb('company_id', '=', companyId)))
    .where('disabled', '=', false);

/**
 * Requires that someone else administers the company and can sign in. Needs {@link lockUsersOf}.
 *
 * @throws Refusal `last-administrator`
 */
export async function requireOtherAdministrator(tx: Tx, companyId: number | null, userId: number): Promise<void> {
  const other = await usersOf(tx, companyId)
    .select('user_id')
    .where('role_id', '=', 'A')
    .where('user_id', '<>', userId)
    .where(sql<SqlBool>`(password_hash is not null or external_id is not null)`)
    .limit(1)
    .executeTakeFirst();
  if (!other) throw new Refusal('last-administrator');
}

/** Whether a user takes one of the company's provider licenses: doctors, and administrators with an NPI. */
export const takesLicense = (user: { roleId: string; npi: string; disabled: boolean }): boolean =>
  !user.disabled && (user.roleId === 'D' || (user.roleId === 'A' && user.npi !== ''));

/** How many enabled users of a company take one of its licenses, except the named one. */
export async function countLicensed(tx: Tx, companyId: number, exceptUserId = 0): Promise<number> {
  const { taken } = await usersOf(tx, companyId)
    .select((eb) => eb.fn.countAll<string>().as('taken'))
    .where('user_id', '<>', exceptUserId)
    .where(sql<SqlBool>`(role_id = 'D' or (role_id = 'A' and npi <> ''))`)
    .executeTakeFirstOrThrow();
  return Number(taken);
}

/**
 * Requires a free license for one more provider, also in the license that is being paid. Needs {@link lockUsersOf}.
 *
 * @throws Refusal `provider-limit`
 */
export async function requireLicense(
  tx: Tx,
  companyId: number,
  { userId, providerCount }: { userId: number; providerCount: number },
): Promise<void> {
  const paying = await openLicenseProviders(tx, companyId);
  const free = Math.min(providerCount, paying ?? providerCount);
  if ((await countLicensed(tx, companyId, userId)) >= free) throw new Refusal('provider-limit');
}
