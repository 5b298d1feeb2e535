import { trialMessagesPerDay } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { Tx } from './database/database.ts';
import { Refusal } from './refusal.ts';

/**
 * Counts messages that a company sends. A company that has signed up may send `trialMessagesPerDay` until its trial ends, so that a
 * sign-up is no way to send many mails to people who have nothing to do with a clinic (decision 058). False: these would be more.
 *
 * @param now ISO; the transaction is the company's
 */
export async function takeTrialMessages(tx: Tx, companyId: number, messages: number, now: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select take_trial_messages(${companyId}, ${messages}, ${trialMessagesPerDay}, ${now}) as taken`.execute(tx);
  return rows[0]?.taken ?? false;
}

/**
 * Counts one message.
 *
 * @throws Refusal `trial-messages`
 */
export async function requireTrialMessage(tx: Tx, companyId: number, now: string): Promise<void> {
  if (!(await takeTrialMessages(tx, companyId, 1, now))) throw new Refusal('trial-messages');
}

/** Ends the trial of a company: it has paid for a license, or an administrator of the installation has saved it. */
export async function endTrial(tx: Tx, companyId: number): Promise<void> {
  await tx.deleteFrom('trials').where('company_id', '=', companyId).execute();
}
