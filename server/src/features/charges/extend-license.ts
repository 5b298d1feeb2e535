import { toCents } from '@roomside/contract/money.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { endTrial } from '../../platform/trials.ts';
import type { Charge } from './charge-rows.ts';

/**
 * A year from the later of today and the present end. From February 29 it ends on February 28.
 *
 * @param today the day in the company's zone; all days are YYYY-MM-DD
 */
export function licenseYear({ expirationDate, today }: { expirationDate: string; today: string }): {
  startsOn: string;
  endsOn: string;
} {
  const startsOn = expirationDate > today ? expirationDate : today;
  return { startsOn, endsOn: Temporal.PlainDate.from(startsOn).add({ years: 1 }).toString() };
}

/**
 * Gives a company the license that a locked charge has paid for, with an invoice. Invoices have numbers without gaps, since the number is
 * counted in the same transaction.
 *
 * @param now ISO
 */
export async function extendLicense(tx: Tx, { companyId, chargeId, amount }: Charge, now: string): Promise<void> {
  const company = await tx
    .selectFrom('companies')
    .select(['company_name', 'expiration_date', 'time_zone', 'version'])
    .where('company_id', '=', companyId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const today = instantToWall(now, company.time_zone).day;
  const { startsOn, endsOn } = licenseYear({ expirationDate: company.expiration_date, today });
  const { providers } = await tx
    .updateTable('license_purchases')
    .set({
      invoice_number: sql<number>`next_invoice_number()`,
      invoice_day: today,
      company_name: company.company_name,
      starts_on: startsOn,
      ends_on: endsOn,
    })
    .where('charge_id', '=', chargeId)
    .returning('providers')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('companies')
    // A new version, so that an editor with the old date does not save it.
    .set({ provider_count: providers, expiration_date: endsOn, version: company.version + 1 })
    .where('company_id', '=', companyId)
    .execute();
  // A free license says nothing about who has it.
  if (toCents(amount) > 0) await endTrial(tx, companyId);
}
