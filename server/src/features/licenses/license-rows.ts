import { isExpired } from '@roomside/contract/companies/status.ts';
import type { License } from '@roomside/contract/licenses/calls.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound } from '../../platform/refusal.ts';
import { countEndedLicenseCharges, openLicenseCharge } from '../charges/charge-rows.ts';
import { licenseProcessorOf } from '../charges/page-processor.ts';
import { countLicensed } from '../users/user-rows.ts';

/** From so many days before the expiry a license is renewed by itself, once a day, until so many days after it. */
export const renewal = { noticeDays: 14, daysBefore: 3, daysAfter: 7 } as const;

/** Days from one day to another, YYYY-MM-DD. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;

/** A company's license with what purchases need besides. */
export interface StoredLicense {
  readonly license: License;
  readonly companyUid: string;
  /** The day in the company's zone. */
  readonly today: string;
  readonly disabled: boolean;
}

/**
 * Reads a company's license.
 *
 * @param lock whether nothing else may change it, its charges and its users until the transaction ends
 * @throws Refusal `not-found`
 */
export async function readLicense(
  tx: Tx,
  { settings }: Pick<Context, 'settings'>,
  { companyId, now, lock = false }: { companyId: number; now: string; lock?: boolean },
): Promise<StoredLicense> {
  const found = tx
    .selectFrom('companies')
    .select([
      'company_uid',
      'company_name',
      'support_email',
      'time_zone',
      'expiration_date',
      'provider_count',
      'auto_renew',
      'disabled',
    ])
    .where('company_id', '=', companyId);
  const row = await (lock ? found.forNoKeyUpdate() : found).executeTakeFirst();
  if (!row) throw notFound();
  const open = await openLicenseCharge(tx, companyId);
  const today = instantToWall(now, row.time_zone).day;
  const expirationDate = row.expiration_date;
  return {
    companyUid: row.company_uid,
    today,
    disabled: row.disabled,
    license: {
      companyId,
      companyName: row.company_name,
      supportEmail: row.support_email,
      expirationDate,
      expired: isExpired({ expirationDate }, today),
      providerCount: row.provider_count,
      providersInUse: await countLicensed(tx, companyId),
      price: fromCents(toCents(settings.LICENSE_PRICE)),
      currency: settings.LICENSE_CURRENCY,
      processor: licenseProcessorOf(settings),
      autoRenew: row.auto_renew,
      renewsFrom: Temporal.PlainDate.from(expirationDate).subtract({ days: renewal.daysBefore }).toString(),
      payment: open
        ? {
            state: open.state === 'action' ? 'action' : 'processing',
            actionToken: open.state === 'action' ? open.actionToken : null,
          }
        : null,
      endedCharges: await countEndedLicenseCharges(tx, companyId),
    },
  };
}
