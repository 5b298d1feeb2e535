import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { resetTexts as texts } from './texts.ts';

export const resetMailQueue = 'password-reset-mail';
export interface ResetMailJob {
  /** 0 = no user has the email that was typed. */
  userId: number;
}

/** Limit per user. The links of all these mails work until one of them is used. */
const maxMailsPerHour = 5;

/**
 * ACCOUNT-2: mails the link to pick a new password. The token is created here, so that the queue never contains a link. A
 * failed attempt leaves an unused token, which expires.
 */
export async function deliverResetMail(
  context: JobContext,
  transports: Transports,
  { userId }: ResetMailJob,
): Promise<void> {
  if (userId === 0) return;
  const now = isoNow(context.clock);
  const prepared = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      company_id: number | null;
      blocked_by: string | null;
    }>`select * from auth_user_by_id(${userId})`.execute(tx);
    const [row] = rows;
    if (!row || row.blocked_by !== null) return null;
    // Serializes the jobs of one user, so that the limit holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`reset mail ${userId}`}, 0))`.execute(tx);
    const hourAgo = new Date(Date.parse(now) - 3_600_000).toISOString();
    const { sent } = await tx
      .selectFrom('one_time_tokens')
      .select((eb) => eb.fn.countAll<string>().as('sent'))
      .where('user_id', '=', userId)
      .where('purpose', '=', 'reset')
      .where('created_at', '>', hourAgo)
      .executeTakeFirstOrThrow();
    if (Number(sent) >= maxMailsPerHour) return null;
    // createOneTimeToken uses only the keys of the context.
    return { companyId: row.company_id, token: await createOneTimeToken(tx, context, 'reset', userId, now) };
  });
  if (!prepared) return;
  const { companyId, token } = prepared;
  const kind = companyId === null ? ({ kind: 'super' } as const) : ({ kind: 'job', companyId } as const);
  const user = await context.db.open(kind, (tx) =>
    tx
      .selectFrom('users')
      .select(['first_name', 'last_name', 'email'])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  );
  const blocks: Block[] = [
    { text: texts.greeting(user.first_name) },
    { text: texts.asked },
    { link: `${context.publicUrl}/#/reset/${token}`, label: texts.button },
    { text: texts.expires },
    { note: texts.notYou },
  ];
  const mail = {
    id: `reset-${userId}-${Date.parse(now)}`,
    to: { name: `${user.first_name} ${user.last_name}`, address: user.email },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail to reset a password', { userId });
}
