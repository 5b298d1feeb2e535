import { toCents } from '@roomside/contract/money.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JobAttempt } from '../../platform/jobs.ts';
import { pageAddress } from '../../platform/page-host.ts';
import type { JobContext } from './deliver-notification.ts';
import { sendOrGiveUp, type Transports } from './delivery.ts';
import { type Block, renderMail } from './mail-frame.ts';
import { licenseTexts as texts } from './texts.ts';

export const licenseMailQueue = 'license-mail';

export interface LicenseMailJob {
  companyId: number;
  /** An administrator. */
  userId: number;
  /** `notice`: it will be renewed. `renewed` and `failed`: how that ended. */
  kind: 'notice' | 'renewed' | 'failed';
  /** The day on which the license ends or would have ended. */
  expirationDate: string;
  /** With `renewed`. */
  chargeId: number | null;
}

const day = (date: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
const money = (amount: string, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount as `${number}`);

/** Mails an administrator about the automatic renewal of the company's license. */
export async function deliverLicenseMail(
  context: JobContext,
  transports: Transports,
  job: LicenseMailJob,
  { jobId }: JobAttempt,
): Promise<void> {
  const { companyId, userId, kind } = job;
  const found = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const user = await tx
      .selectFrom('users as u')
      .innerJoin('companies as c', 'c.company_id', 'u.company_id')
      .select(['u.first_name', 'u.last_name', 'u.email', 'c.company_name', 'c.front_end_url', 'c.auto_renew'])
      .where('u.user_id', '=', userId)
      .where('u.disabled', '=', false)
      .executeTakeFirst();
    return user && { user, words: await wordsOf(context, tx, job, user) };
  });
  // It was switched off meanwhile.
  if (!found || (kind === 'notice' && !found.user.auto_renew)) return;
  const { user, words } = found;
  const subject = texts[kind].subject(user.company_name);
  const blocks: Block[] = [
    { text: texts.greeting(user.first_name) },
    ...words.map((text) => ({ text })),
    { link: `${pageAddress(context, user.front_end_url)}/#/admin/payment`, label: texts.button },
  ];
  const mail = {
    id: `license-${kind}-${jobId}`,
    to: { name: `${user.first_name} ${user.last_name}`, address: user.email },
    replyTo: '',
    subject,
    ...renderMail(subject, blocks),
    calendar: null,
  };
  await sendOrGiveUp(context, transports, { method: 'email', mail }, 'a mail about a license', { userId, companyId });
}

async function wordsOf(
  { settings }: JobContext,
  tx: Tx,
  { companyId, kind, expirationDate, chargeId }: LicenseMailJob,
  { company_name: company }: { company_name: string },
): Promise<string[]> {
  switch (kind) {
    case 'notice': {
      const renewal = await tx
        .selectFrom('license_renewals')
        .select('noticed_total')
        .where('company_id', '=', companyId)
        .where('expiration_date', '=', expirationDate)
        .executeTakeFirstOrThrow();
      const card = await tx
        .selectFrom('payment_cards')
        .select('last4')
        .where('company_id', '=', companyId)
        .where('position', '=', 'primary')
        .executeTakeFirst();
      const total = money(renewal.noticed_total, settings.LICENSE_CURRENCY);
      return [
        texts.notice.text(company, day(expirationDate)),
        toCents(renewal.noticed_total) === 0 ? texts.notice.free : texts.notice.card(total, card?.last4),
        texts.notice.off,
      ];
    }
    case 'renewed': {
      const paid = await tx
        .selectFrom('license_purchases as p')
        .innerJoin('charges as c', 'c.charge_id', 'p.charge_id')
        .select(['c.amount', 'c.currency', 'c.card_last4', 'p.ends_on', 'p.invoice_number'])
        .where('p.charge_id', '=', chargeId)
        .executeTakeFirstOrThrow();
      return [
        texts.renewed.text(company, day(paid.ends_on ?? '')),
        ...(paid.card_last4 ? [texts.renewed.card(money(paid.amount, paid.currency), paid.card_last4)] : []),
        texts.renewed.invoice(paid.invoice_number ?? 0),
      ];
    }
    case 'failed':
      return [texts.failed.text(company, day(expirationDate)), texts.failed.next];
  }
}
