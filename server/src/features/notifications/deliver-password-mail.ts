import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type MailedLink, secondsUntilMail, storeMailedLink, tokenOfMail } from '../../platform/one-time-token.ts';
import { pageAddress } from '../../platform/page-host.ts';
import { Refusal } from '../../platform/refusal.ts';
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
  /** Identifies the mail. Jobs of earlier versions have none. */
  mailUid?: string;
}

/** Limit per user and purpose. The links of all these mails work until one of them is used. */
const maxPerHour = 5;

/** Queues the mail with a link. The job does nothing for the user 0, and above the limit. */
export async function queuePasswordMail(
  tx: Tx,
  { jobs }: Pick<Context, 'jobs'>,
  { mailUid = randomUUID(), ...link }: PasswordMailJob,
): Promise<void> {
  const job: PasswordMailJob = { ...link, mailUid };
  await jobs.send(tx, passwordMailQueue, job);
}

/**
 * Returns the link of a mail that an administrator sends again, for {@link queuePasswordMail}. Its place within the limit is taken, so
 * that the mail is sent.
 *
 * @throws Refusal `too-many` with the wait
 */
export async function reservePasswordMail(
  context: Context,
  mail: { readonly userId: number; readonly purpose: 'reset' | 'invite' },
  now: string,
): Promise<MailedLink> {
  const link = { ...mail, mailUid: randomUUID() };
  const stored = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    storeMailedLink(tx, context, link, { maxPerHour, now }),
  );
  if (typeof stored === 'object') throw new Refusal('too-many', { retryAfter: stored.waitSeconds });
  return link;
}

/**
 * Checks that another invitation of the user would be sent now.
 *
 * @throws Refusal `too-many` with the wait
 */
export async function requireRoomForInvitation(context: Context, userId: number, now: string): Promise<void> {
  const retryAfter = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    secondsUntilMail(tx, { userId, purpose: 'invite' }, { maxPerHour, now }),
  );
  if (retryAfter > 0) throw new Refusal('too-many', { retryAfter });
}

/**
 * ACCOUNT-2, USERS-4: mails the link to choose a new password. The token is created here, so that the queue never contains a link, and
 * each attempt has the same one. A link that has ended meanwhile is not mailed.
 */
export async function deliverPasswordMail(
  context: JobContext,
  transports: Transports,
  { userId, purpose = 'reset', mailUid = randomUUID() }: PasswordMailJob,
): Promise<void> {
  if (userId === 0) return;
  const now = isoNow(context.clock);
  const link = { userId, purpose, mailUid };
  const prepared = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{
      company_id: number | null;
      blocked_by: string | null;
    }>`select * from auth_user_by_id(${userId})`.execute(tx);
    const [row] = rows;
    if (!row || row.blocked_by !== null) return null;
    const stored = await storeMailedLink(tx, context, link, { maxPerHour, now });
    if (typeof stored === 'object') context.log.warn({ userId }, 'a mail to choose a password was above the limit');
    if (stored !== 'stored') return null;
    const passkey = await tx
      .selectFrom('passkeys')
      .select('passkey_id')
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return { companyId: row.company_id, hasPasskey: passkey !== undefined };
  });
  if (!prepared) return;
  const { companyId, hasPasskey } = prepared;
  const kind = companyId === null ? ({ kind: 'super' } as const) : ({ kind: 'job', companyId } as const);
  const user = await context.db.open(kind, (tx) =>
    tx
      .selectFrom('users as u')
      .leftJoin('companies as c', 'c.company_id', 'u.company_id')
      .select(['u.first_name', 'u.last_name', 'u.email', 'c.company_name', 'c.front_end_url'])
      .where('u.user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  );
  // A passkey is used on pages of PUBLIC_URL only (decision 056), and the link asks for it after the password.
  const address = hasPasskey ? context.publicUrl : pageAddress(context, user.front_end_url);
  const texts = purpose === 'invite' ? inviteTexts(user.company_name) : resetTexts;
  const blocks: Block[] = [
    { text: texts.greeting(user.first_name) },
    { text: texts.asked },
    { link: `${address}/#/reset/${tokenOfMail(context, link)}`, label: texts.button },
    { text: texts.expires },
    { note: texts.notYou },
  ];
  const mail = {
    id: `${purpose}-${mailUid}`,
    to: { name: `${user.first_name} ${user.last_name}`, address: user.email },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail to choose a password', { userId });
}
