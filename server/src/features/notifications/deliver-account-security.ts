import { sql } from 'kysely';
import type { JobAttempt } from '../../platform/jobs.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { accountSecurityTexts as texts } from './texts.ts';

export const accountSecurityQueue = 'account-security-mail';

/** What has changed about a user's ways to sign in. */
export type AccountChange = keyof typeof texts.changes;

interface ChangeTexts {
  readonly subject: string;
  readonly text: string;
  /** What to do when it was not expected. */
  readonly note?: string;
}

export interface AccountSecurityJob {
  userId: number;
  change: AccountChange;
}

/** Mails a user that a way to sign in to their account has changed, or that a recovery code was used. */
export async function deliverAccountSecurity(
  context: JobContext,
  transports: Transports,
  { userId, change }: AccountSecurityJob,
  { jobId }: JobAttempt,
): Promise<void> {
  const known = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      company_id: number | null;
    }>`select company_id from auth_user_by_id(${userId})`.execute(tx);
    return rows[0];
  });
  if (!known) return;
  const kind =
    known.company_id === null ? ({ kind: 'super' } as const) : ({ kind: 'job', companyId: known.company_id } as const);
  const user = await context.db.open(kind, (tx) =>
    tx
      .selectFrom('users')
      .select(['first_name', 'last_name', 'email'])
      .where('user_id', '=', userId)
      .executeTakeFirst(),
  );
  if (!user) return;
  const { subject, text, note = texts.notYou }: ChangeTexts = texts.changes[change];
  const blocks: Block[] = [{ text: texts.greeting(user.first_name) }, { text }, { text: note }];
  const mail = {
    id: `${change}-${jobId}`,
    to: { name: `${user.first_name} ${user.last_name}`, address: user.email },
    replyTo: '',
    subject,
    ...renderMail(subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail about the sign-in', { userId });
}
