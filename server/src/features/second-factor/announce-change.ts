import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  type AccountChange,
  type AccountSecurityJob,
  accountSecurityQueue,
} from '../notifications/deliver-account-security.ts';

/** Mails a user that a way to sign in to their account has changed: it may not have been them. */
export async function announceChange(
  tx: Tx,
  { jobs }: Pick<Context, 'jobs'>,
  userId: number,
  change: AccountChange,
): Promise<void> {
  const job: AccountSecurityJob = { userId, change };
  await jobs.send(tx, accountSecurityQueue, job);
}
