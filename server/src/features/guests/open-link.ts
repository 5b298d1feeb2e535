import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import type { SignInAttempt } from '../auth/sign-in.ts';
import { hashLink } from './guest-rows.ts';

export interface OpenedLink {
  readonly guestId: number;
  readonly companyId: number;
}

/**
 * Finds the invitation of a link, in an unauthenticated transaction.
 *
 * @throws Refusal `invitation-over` for an unknown link too
 */
export async function openLink(tx: Tx, { context, now }: SignInAttempt, link: string): Promise<OpenedLink> {
  const { rows } = await sql<{ guest_id: number; company_id: number; is_valid: boolean }>`
    select * from auth_guest_link(${hashLink(context.keys, link)}, ${now})`.execute(tx);
  const [row] = rows;
  if (!row?.is_valid) throw new Refusal('invitation-over');
  return { guestId: row.guest_id, companyId: row.company_id };
}

/**
 * Counts a link that opens nothing against the rate limit of its network. It is looked up before, so that a valid one is never slowed
 * down.
 *
 * @throws always: the given error, or Refusal `too-many` while the network has to wait
 */
export async function countInvalidLink({ context, address }: SignInAttempt, error: unknown): Promise<never> {
  if (!(error instanceof Refusal && error.code === 'invitation-over')) throw error;
  await throttle(context, attemptsOf('code-address', address));
  throw error;
}
