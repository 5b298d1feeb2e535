import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JobContext } from '../notifications/deliver-notification.ts';
import { sendOrGiveUp, type Transports } from '../notifications/delivery.ts';
import { type Block, renderMail } from '../notifications/mail-frame.ts';
import { knownEmailTexts, signUpTexts } from '../notifications/texts.ts';
import { hashOfEmail, hashOfLink, openSignUp } from './sign-up-rows.ts';

export const signUpMailQueue = 'sign-up-mail';
export interface SignUpMailJob {
  signUpUid: string;
}

/** Limit per email, from all networks together. */
const maxMailsPerHour = 3;

/**
 * Mails the link of a sign-up, or to an email that has an account that it has one. Neither contains anything that was typed, since the
 * reader may be another person. The token is created here, so that the queue never contains a link.
 */
export async function deliverSignUpMail(
  context: JobContext,
  transports: Transports,
  { signUpUid }: SignUpMailJob,
): Promise<void> {
  const now = isoNow(context.clock);
  const prepared = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const row = await tx
      .selectFrom('sign_ups')
      .select('sealed')
      .where('sign_up_uid', '=', signUpUid)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    if (!row) return null;
    const { email } = openSignUp(context.keys, signUpUid, row.sealed);
    const email_hash = hashOfEmail(context.keys, email);
    // Serializes the jobs of one email, so that the limit holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`sign-up mail ${email_hash.toString('hex')}`}, 0))`.execute(
      tx,
    );
    if ((await countMails(tx, email_hash, signUpUid, now)) >= maxMailsPerHour) return null;
    const known = await sql`select from auth_user(${email})`.execute(tx);
    const token = known.rows.length > 0 ? null : randomBytes(24).toString('base64url');
    await tx
      .updateTable('sign_ups')
      .set({ mailed_at: now, token_hash: token === null ? null : hashOfLink(context.keys, token) })
      .where('sign_up_uid', '=', signUpUid)
      .execute();
    return { email, token };
  });
  if (!prepared) return;
  const { email, token } = prepared;
  const texts = token === null ? knownEmailTexts : signUpTexts;
  const blocks: Block[] = [
    { text: texts.asked },
    { link: `${context.publicUrl}/#${token === null ? '/login' : `/signup/${token}`}`, label: texts.button },
    { text: texts.next },
    { note: texts.notYou },
  ];
  const mail = {
    id: `sign-up-${signUpUid}`,
    to: { name: '', address: email },
    replyTo: '',
    subject: texts.subject,
    ...renderMail(texts.subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail about a sign-up', {});
}

async function countMails(tx: Tx, emailHash: Buffer, except: string, now: string): Promise<number> {
  const { sent } = await tx
    .selectFrom('sign_ups')
    .select((eb) => eb.fn.countAll<string>().as('sent'))
    .where('email_hash', '=', emailHash)
    .where('sign_up_uid', '<>', except)
    .where('mailed_at', '>', new Date(Date.parse(now) - 3_600_000).toISOString())
    .executeTakeFirstOrThrow();
  return Number(sent);
}
