import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { inviteTexts, resetTexts } from './texts.ts';

export const passwordMailQueue = 'password-reset-mail';
export interface PasswordMailJob {
  /** 0 = no user has the email that was typed. */
  userId: number;
  /** `invite`: an administrator has created the account. Default: a request for a new password. */
  purpose?: 'reset' | 'invite';
}

/** Limit per user. The links of all these mails work until one of them is used. */
const maxMailsPerHour = 5;

/**
 * ACCOUNT-2, USERS-4: mails the link to pick a new password. The token is created here, so that the queue never contains a link. A
 * failed attempt leaves an unused token, which expires.
 */
export async function deliverPasswordMail(
  context: JobContext,
  transports: Transports,
  { userId, purpose = 'reset' }: PasswordMailJob,
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
      .where('purpose', '=', purpose)
      .where('created_at', '>', hourAgo)
      .executeTakeFirstOrThrow();
    if (Number(sent) >= maxMailsPerHour) return null;
    // createOneTimeToken uses only the keys of the context.
    return { companyId: row.company_id, token: await createOneTimeToken(tx, context, purpose, userId, now) };
  });
  if (!prepared) return;
  const { companyId, token } = prepared;
  const kind = companyId === null ? ({ kind: 'super' } as const) : ({ kind: 'job', companyId } as const);
  const user = await context.db.open(kind, (tx) =>
    tx
      .selectFrom('users as u')
      .leftJoin('companies as c', 'c.company_id', 'u.company_id')
      .select(['u.first_name', 'u.last_name', 'u.email', 'c.company_name'])
      .where('u.user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  );
  const texts = purpose === 'invite' ? inviteTexts(user.company_name) : resetTexts;
  const blocks: Block[] = [
    { text: texts.greeting(user.first_name) },
    { text: texts.asked },
    { link: `${context.publicUrl}/#/reset/${token}`, label: texts.button },
    { text: texts.expires },
    { note: texts.notYou },
  ];
  const mail = {
    id: `${purpose}-${userId}-${Date.parse(now)}`,
    to: { name: `${user.first_name} ${user.last_name}`, address: user.email },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail to pick a password', { userId });
}
