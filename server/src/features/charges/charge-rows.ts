import { toCents } from '@roomside/contract/money.ts';
import type { CardFailure, ProcessorName } from '@roomside/contract/payments/processors.ts';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import type { Charges } from '../../platform/database/schema.ts';

/** A charge by its ids, for transactions of jobs. */
export interface ChargeId {
  readonly companyId: number;
  readonly chargeId: number;
}

export type ChargeState = 'created' | 'asked' | 'action' | 'paid' | 'failed' | 'refunding' | 'refunded' | 'disputed';

/** A charge as the code sees it. Amounts are decimals with two places. */
export interface Charge {
  readonly chargeId: number;
  readonly key: string;
  readonly companyId: number;
  /** Of an appointment; null: the company's license. */
  readonly appointment: { readonly appointmentId: number; readonly patientId: number } | null;
  readonly processor: ProcessorName | 'none';
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
  readonly method: string;
  readonly promoId: number | null;
  readonly discount: string;
  /** A person is there to confirm it. */
  readonly attended: boolean;
  readonly state: ChargeState;
  readonly externalId: string;
  readonly actionToken: string;
  readonly failure: CardFailure | '';
  /** When a refund was asked for; of an open charge: it is refunded once it is paid. */
  readonly refundAskedAt: string | null;
  /** When the last refund was refused or came back; null: it was not. */
  readonly refundFailedAt: string | null;
  readonly createdAt: string;
  readonly askedAt: string | null;
}

const toCharge = (row: Selectable<Charges>): Charge => ({
  chargeId: row.charge_id,
  key: row.charge_key,
  companyId: row.company_id,
  appointment:
    row.appointment_id === null || row.patient_id === null
      ? null
      : { appointmentId: row.appointment_id, patientId: row.patient_id },
  processor: row.processor as Charge['processor'],
  account: row.account,
  amount: row.amount,
  currency: row.currency,
  method: row.method,
  promoId: row.promo_id,
  discount: row.discount,
  attended: row.attended,
  state: row.state as ChargeState,
  externalId: row.external_id,
  actionToken: row.action_token,
  failure: row.failure as Charge['failure'],
  refundAskedAt: row.refund_asked_at,
  refundFailedAt: row.refund_failed_at,
  createdAt: row.created_at,
  askedAt: row.asked_at,
});

const openStates: readonly ChargeState[] = ['created', 'asked', 'action'];
/** Whether money may still be taken. */
export const isOpen = ({ state }: Pick<Charge, 'state'>): boolean => openStates.includes(state);

/** Whether a charge has taken money that its processor can return. A disputed one is decided by the bank. */
const isReturnable = ({ state, processor }: Pick<Charge, 'state' | 'processor'>): boolean =>
  state === 'paid' && processor !== 'none';

/**
 * Returns the charges of an appointment that a refund returns. What the clinic has returned by hand is not returned a second time. While more than the
 * fee is collected, since a refund came back after another payment, that refund is the only one.
 */
export async function readReturnable(tx: Tx, appointmentId: number): Promise<Charge[]> {
  const charges = (await readCharges(tx, appointmentId)).filter(isReturnable);
  if (charges.length === 0) return [];
  const { fee, collected, paid } = await tx
    .selectFrom('appointments as a')
    .select(['a.fee', 'a.collected'])
    .select(
      sql<string>`(select coalesce(sum(l.amount), 0)::numeric(10,2) from ledger l
        where l.appointment_id = a.appointment_id and l.kind <> 'promo')`.as('paid'),
    )
    .where('a.appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  const failed = charges.filter(({ refundFailedAt }) => refundFailedAt !== null);
  const others = charges.filter(({ refundFailedAt }) => refundFailedAt === null);
  const isAbove = failed.length > 0 && toCents(collected) > toCents(fee);
  let left = toCents(paid);
  return (isAbove ? failed : [...others, ...failed]).filter(({ amount }) => {
    if (toCents(amount) > left) return false;
    left -= toCents(amount);
    return true;
  });
}

/** The charge of a company's license whose end is not known. */
export async function openLicenseCharge(tx: Tx, companyId: number): Promise<Charge | undefined> {
  const row = await tx
    .selectFrom('charges')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('purpose', '=', 'license')
    .where('state', 'in', openStates)
    .executeTakeFirst();
  return row && toCharge(row);
}

/** How many charges of a company's license have ended. */
export async function countEndedLicenseCharges(tx: Tx, companyId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('company_id', '=', companyId)
    .where('purpose', '=', 'license')
    .where('state', 'not in', openStates)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** For how many providers the open charge of a company's license pays; null: there is none. */
export async function openLicenseProviders(tx: Tx, companyId: number): Promise<number | null> {
  const row = await tx
    .selectFrom('charges as c')
    .innerJoin('license_purchases as p', 'p.charge_id', 'c.charge_id')
    .select('p.providers')
    .where('c.company_id', '=', companyId)
    .where('c.purpose', '=', 'license')
    .where('c.state', 'in', openStates)
    .executeTakeFirst();
  return row?.providers ?? null;
}

/** The latest charge of a company's license. */
export async function readLastLicenseCharge(tx: Tx, companyId: number): Promise<Charge | undefined> {
  const row = await tx
    .selectFrom('charges')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('purpose', '=', 'license')
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toCharge(row);
}

/** The charges of an appointment, oldest first. */
export async function readCharges(tx: Tx, appointmentId: number): Promise<Charge[]> {
  const rows = await tx
    .selectFrom('charges')
    .selectAll()
    .where('appointment_id', '=', appointmentId)
    .orderBy('charge_id')
    .execute();
  return rows.map(toCharge);
}

/** Whether an appointment has a charge whose end is not known. Its fee and its ledger must not change meanwhile. */
export async function hasOpenCharge(tx: Tx, appointmentId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('charges')
    .select('charge_id')
    .where('appointment_id', '=', appointmentId)
    .where('state', 'in', [...openStates, 'refunding'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A charge whose account was replaced is given up after this time, ms: no one can say what became of it. */
export const abandonedMs = 24 * 3_600_000;

/** Whether a company has a charge or a refund of its patients, from after `since`, whose end is not known. Only its present account knows. */
export async function hasUnsettledCharges(tx: Tx, companyId: number, since: string): Promise<boolean> {
  const row = await tx
    .selectFrom('charges')
    .select('charge_id')
    .where('company_id', '=', companyId)
    .where('purpose', '=', 'appointment')
    .where('state', 'in', [...openStates, 'refunding'])
    .where(sql`coalesce(refund_asked_at, created_at)`, '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Locks a charge, and before it its appointment, or the company whose license it pays: everything that changes both takes the locks in this
 * order. Undefined: it does not exist.
 */
export async function lockCharge(tx: Tx, chargeId: number): Promise<Charge | undefined> {
  await inOneTrip(
    tx,
    sql`select 1 from appointments
      where appointment_id = (select appointment_id from charges where charge_id = ${chargeId}) for no key update`,
    sql`select 1 from companies where company_id =
      (select company_id from charges where charge_id = ${chargeId} and purpose = 'license') for no key update`,
  );
  const row = await tx
    .selectFrom('charges')
    .selectAll()
    .where('charge_id', '=', chargeId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toCharge(row);
}
