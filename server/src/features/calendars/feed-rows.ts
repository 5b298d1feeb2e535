import { randomBytes } from 'node:crypto';
import type { Feed } from '@roomside/contract/calendars/calls.ts';
import { providers } from '@roomside/contract/permissions.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';
import { pageAddress } from '../../platform/page-host.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** Whose feed it is; null = the clinic's. */
type Owner = number | null;

/** The keyed hash by which a feed is found. */
export const hashSecret = (keys: Keys, secret: string): Buffer => keys.mac('calendar-feed', secret);

/**
 * Requires a provider of the company whose calendar the caller may change: the own one, for administrators everyone's.
 *
 * @throws Refusal `not-found`, `not-allowed`
 */
export async function requireCalendarOf(
  { skipChecks }: Pick<Context, 'skipChecks'>,
  tx: Tx,
  caller: StaffCaller,
  userId: number,
): Promise<void> {
  const provider = await tx
    .selectFrom('users')
    .select('user_id')
    .where('company_id', '=', caller.companyId)
    .where('user_id', '=', userId)
    .where('role_id', 'in', providers)
    .executeTakeFirst();
  if (!provider) throw notFound();
  if (!skipChecks && caller.role !== 'A' && caller.userId !== userId) throw new Refusal('not-allowed');
}

const ofOwner = (tx: Tx, companyId: number, owner: Owner) =>
  tx.selectFrom('calendar_feeds').where('company_id', '=', companyId).where('user_id', 'is not distinct from', owner);

export async function findFeed(tx: Tx, companyId: number, owner: Owner): Promise<Feed | null> {
  const row = await ofOwner(tx, companyId, owner)
    .select(['created_at', 'shows_initials', 'read_at'])
    .executeTakeFirst();
  return row ? { createdAt: row.created_at, showsInitials: row.shows_initials, readAt: row.read_at } : null;
}

/** Creates a feed with a new secret, of which only the hash is stored; an earlier one ends. Returns its address. */
export async function createFeed(
  context: Pick<Context, 'keys' | 'publicUrl'>,
  tx: Tx,
  { companyId, owner, showsInitials, now }: { companyId: number; owner: Owner; showsInitials: boolean; now: string },
): Promise<{ address: string }> {
  const secret = randomBytes(32).toString('base64url');
  const values = {
    secret_hash: hashSecret(context.keys, secret),
    shows_initials: showsInitials,
    created_at: now,
    read_at: null,
  };
  await tx
    .insertInto('calendar_feeds')
    .values({ company_id: companyId, user_id: owner, ...values })
    .onConflict((conflict) => conflict.columns(['company_id', 'user_id']).doUpdateSet(values))
    .execute();
  const { front_end_url } = await tx
    .selectFrom('companies')
    .select('front_end_url')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return { address: `${pageAddress(context, front_end_url)}/api/calendar/${secret}.ics` };
}

/** Changes what a feed shows, where there is one. Its address stays. */
export async function changeFeed(
  tx: Tx,
  companyId: number,
  owner: Owner,
  { showsInitials }: { showsInitials: boolean },
): Promise<void> {
  await tx
    .updateTable('calendar_feeds')
    .set({ shows_initials: showsInitials })
    .where('company_id', '=', companyId)
    .where('user_id', 'is not distinct from', owner)
    .execute();
}

export async function removeFeed(tx: Tx, companyId: number, owner: Owner): Promise<void> {
  await tx
    .deleteFrom('calendar_feeds')
    .where('company_id', '=', companyId)
    .where('user_id', 'is not distinct from', owner)
    .execute();
}
