import { toCents } from '@roomside/contract/money.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { forAll } from '../../platform/repeat.ts';
import { type LicenseMailJob, licenseMailQueue } from '../notifications/deliver-license-mail.ts';
import { licenseAccount } from '../payments/accounts.ts';
import type { PaymentParts } from '../payments/end-charge.ts';
import { settleCharge } from '../payments/settle-charge.ts';
import { readCards, type StoredCard } from './card-rows.ts';
import { daysBetween, readLicense, renewal, type StoredLicense } from './license-rows.ts';
import { priceOf } from './price.ts';
import { startPurchase } from './start-purchase.ts';

/**
 * Renews licenses whose companies have chosen that: announces it, charges the primary card and then the backup once a day, and tells the
 * administrators how it ended. Every step is recorded in the transaction that does it, so that simultaneous and killed servers do it once.
 */
export async function renewLicenses(parts: PaymentParts): Promise<void> {
  const { rows } = await parts.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number }>`
      select company_id from renewals_to_check(${isoNow(parts.clock)}, ${renewal.noticeDays}, ${renewal.daysAfter})
        as due(company_id)`.execute(tx),
  );
  await forAll(rows, ({ company_id: companyId }) => renewOne(parts, companyId));
}

/** Work in a transaction behind the lock of the company. */
function locked<T>(
  parts: PaymentParts,
  companyId: number,
  work: (tx: Tx, stored: StoredLicense, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const now = isoNow(parts.clock);
  return parts.db.open({ kind: 'job', companyId }, async (tx, afterCommit) =>
    work(tx, await readLicense(tx, parts, { companyId, now, lock: true }), afterCommit),
  );
}

/** A server that has begun to charge has ended after this time, or was killed; ms. */
const abandonedMs = 15 * 60_000;

async function renewOne(parts: PaymentParts, companyId: number): Promise<void> {
  await reportRenewal(parts, companyId, { begunBefore: parts.clock.now() - abandonedMs });
  if (!(await announce(parts, companyId))) return;
  const first = await start(parts, companyId, true);
  // Another server is at it, or was today: it reports how that ended.
  if (first === 'others') return;
  const settled = first === 'nothing' ? null : await settleCharge(parts, { companyId, chargeId: first });
  if (settled?.is === 'failed') {
    const second = await start(parts, companyId, false);
    if (typeof second === 'number') await settleCharge(parts, { companyId, chargeId: second });
  }
  await reportRenewal(parts, companyId, { begunBefore: parts.clock.now() + 1 });
}

const totalOf = ({ license: { providerCount: providers, price, currency } }: StoredLicense): string =>
  priceOf({ providers, price, currency, discountRate: 0 }).total;

/** Whether a license is renewed by itself today; `notice`: it is announced at least. */
function isDue({ license, today, disabled }: StoredLicense, { daysBefore }: { daysBefore: number }): boolean {
  const left = daysBetween(today, license.expirationDate);
  return license.autoRenew && !disabled && left <= daysBefore && left >= -renewal.daysAfter;
}

/** Announces the renewal with its amount. Returns whether it was announced on an earlier day, so that a card may be charged. */
function announce(parts: PaymentParts, companyId: number): Promise<boolean> {
  return locked(parts, companyId, async (tx, stored) => {
    if (!isDue(stored, { daysBefore: renewal.noticeDays })) return false;
    const { today } = stored;
    const { expirationDate, providerCount } = stored.license;
    if (providerCount === 0) return false;
    const total = totalOf(stored);
    const known = await readRenewal(tx, companyId, expirationDate);
    if (known && toCents(known.noticed_total) === toCents(total)) return known.noticed_on < today;
    const row = { noticed_on: today, noticed_total: total };
    await tx
      .insertInto('license_renewals')
      .values({ company_id: companyId, expiration_date: expirationDate, ...row })
      .onConflict((conflict) => conflict.columns(['company_id', 'expiration_date']).doUpdateSet(row))
      .execute();
    await mailAdministrators(parts, tx, companyId, { kind: 'notice', expirationDate, chargeId: null });
    return false;
  });
}

/** Creates a charge of today. `nothing`: there is no card, or nothing was to be paid. `others`: it is not this server's turn. */
function start(parts: PaymentParts, companyId: number, isFirst: boolean): Promise<number | 'nothing' | 'others'> {
  return locked(parts, companyId, async (tx, stored, afterCommit) => {
    const { license, today } = stored;
    const known = await readRenewal(tx, companyId, license.expirationDate);
    if (!isDue(stored, renewal) || !known || license.payment) return 'others';
    // Another server, or this one before it was killed, has begun today.
    if (isFirst && known.tried_on === today) return 'others';
    await tx
      .updateTable('license_renewals')
      .set({ tried_on: today, tried_at: isoNow(parts.clock) })
      .where('company_id', '=', companyId)
      .where('expiration_date', '=', license.expirationDate)
      .execute();
    const total = totalOf(stored);
    const card = await cardOf(parts, tx, companyId, isFirst);
    const isFree = toCents(total) === 0;
    if (!isFree && !card) return 'nothing';
    const scope = { parts, tx, afterCommit, now: isoNow(parts.clock) };
    const chargeId = await startPurchase(scope, stored, {
      providers: license.providerCount,
      promoCode: null,
      method: card?.method ?? null,
      amount: total,
      automatic: true,
    });
    return chargeId ?? 'nothing';
  });
}

async function cardOf(
  parts: PaymentParts,
  tx: Tx,
  companyId: number,
  isFirst: boolean,
): Promise<StoredCard | undefined> {
  const cards = await readCards(tx, companyId, licenseAccount(parts.settings));
  return isFirst ? cards[0] : cards[1];
}

/** Tells the administrators how the last renewal ended, if it began before an instant (ms) and its charge is over. */
function reportRenewal(
  parts: PaymentParts,
  companyId: number,
  { begunBefore }: { begunBefore: number },
): Promise<void> {
  return locked(parts, companyId, async (tx, { license }) => {
    if (license.payment) return;
    const unsent = await tx
      .selectFrom('license_renewals')
      .select(['expiration_date', 'tried_on'])
      .where('company_id', '=', companyId)
      .where('tried_at', '<', new Date(begunBefore).toISOString())
      .where(sql<boolean>`notified_on is distinct from tried_on`)
      .execute();
    for (const { expiration_date: expirationDate, tried_on: triedOn } of unsent) {
      const isRenewed = license.expirationDate > expirationDate;
      const paid = isRenewed ? await paidFor(tx, companyId, expirationDate) : undefined;
      // Someone has bought the license meanwhile, and knows.
      if (!isRenewed || paid)
        await mailAdministrators(parts, tx, companyId, {
          kind: paid ? 'renewed' : 'failed',
          expirationDate,
          chargeId: paid?.charge_id ?? null,
        });
      await tx
        .updateTable('license_renewals')
        .set({ notified_on: triedOn })
        .where('company_id', '=', companyId)
        .where('expiration_date', '=', expirationDate)
        .execute();
    }
  });
}

const readRenewal = (tx: Tx, companyId: number, expirationDate: string) =>
  tx
    .selectFrom('license_renewals')
    .select(['noticed_on', 'noticed_total', 'tried_on'])
    .where('company_id', '=', companyId)
    .where('expiration_date', '=', expirationDate)
    .executeTakeFirst();

/** The automatic purchase that continued the license which ended on this day. */
const paidFor = (tx: Tx, companyId: number, expirationDate: string) =>
  tx
    .selectFrom('license_purchases')
    .select('charge_id')
    .where('company_id', '=', companyId)
    .where('automatic', '=', true)
    .where('invoice_number', 'is not', null)
    .where('starts_on', '>=', expirationDate)
    .orderBy('invoice_number', 'desc')
    .limit(1)
    .executeTakeFirst();

async function mailAdministrators(
  parts: PaymentParts,
  tx: Tx,
  companyId: number,
  mail: Omit<LicenseMailJob, 'companyId' | 'userId'>,
): Promise<void> {
  const users = await tx
    .selectFrom('users')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('role_id', '=', 'A')
    .where('disabled', '=', false)
    .execute();
  for (const { user_id: userId } of users) {
    const job: LicenseMailJob = { companyId, userId, ...mail };
    await parts.jobs.send(tx, licenseMailQueue, job);
  }
}
