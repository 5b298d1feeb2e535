import { fromCents, toCents } from '@roomside/contract/money.ts';
import type { CardFailure } from '@roomside/contract/payments/processors.ts';
import { sql } from 'kysely';
import { writeAudit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { updateAppointment } from '../appointments/appointment-writer.ts';
import type { Charge } from '../charges/charge-rows.ts';
import { extendLicense } from '../charges/extend-license.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import type { CardWords } from './processors.ts';

export type PaymentParts = Pick<Context, 'db' | 'clock' | 'keys' | 'log' | 'jobs' | 'push' | 'settings' | 'publicUrl'>;

interface Scope {
  readonly parts: PaymentParts;
  readonly tx: Tx;
}

/** How a charge stands. `open`: the processor has not answered, or waits for the person. */
export type Settled =
  | { readonly is: 'paid' }
  | { readonly is: 'failed'; readonly failure: CardFailure }
  | { readonly is: 'open' };

export function settledOf(charge: Charge | undefined): Settled {
  if (!charge || charge.state === 'failed') return { is: 'failed', failure: charge?.failure || 'card-error' };
  return { is: 'paid' };
}

/** Ends a locked charge without money. The use of its promo code is given back. */
export async function recordFailed(
  { parts, tx }: Scope,
  charge: Charge,
  { failure, externalId }: { failure: CardFailure; externalId: string },
): Promise<Settled> {
  await tx
    .updateTable('charges')
    .set({
      state: 'failed',
      failure,
      external_id: externalId,
      method: '',
      action_token: '',
      settled_at: isoNow(parts.clock),
    })
    .where('charge_id', '=', charge.chargeId)
    .execute();
  if (charge.promoId !== null) await sql`select return_promo(${charge.promoId})`.execute(tx);
  auditCharge({ parts, tx }, charge, 'chargeFailed');
  return { is: 'failed', failure };
}

/** Ends a locked charge that was paid: the ledger, the appointment's reference, the patient's receipt; or the company's license. */
export async function recordPaid(
  { parts, tx, afterCommit }: Scope & { readonly afterCommit: AfterCommit },
  charge: Charge,
  { externalId, card }: { externalId: string; card: CardWords },
): Promise<Settled> {
  const now = isoNow(parts.clock);
  await tx
    .updateTable('charges')
    .set({
      state: charge.refundAskedAt === null ? 'paid' : 'refunding',
      external_id: externalId,
      card_brand: card.brand,
      card_last4: card.last4,
      method: '',
      action_token: '',
      settled_at: now,
    })
    .where('charge_id', '=', charge.chargeId)
    .execute();
  auditCharge({ parts, tx }, charge, 'chargePaid');
  const { companyId } = charge;
  if (!charge.appointment) {
    await extendLicense(tx, charge, now);
    afterCommit(() => parts.push.schedule(companyId));
    return { is: 'paid' };
  }
  const { appointmentId, patientId } = charge.appointment;
  const entries = [
    { kind: 'charge', amount: charge.amount },
    { kind: 'promo', amount: charge.discount },
  ].filter(({ amount }) => toCents(amount) > 0);
  await tx
    .insertInto('ledger')
    .values(
      entries.map(({ kind, amount }) => ({
        company_id: companyId,
        appointment_id: appointmentId,
        patient_id: patientId,
        charge_id: charge.chargeId,
        kind,
        amount,
        occurred_at: now,
      })),
    )
    .execute();
  if (externalId !== '') updateAppointment(tx, null, appointmentId, { external_transaction: externalId });
  const { cancelled, ...shown } = await tx
    .selectFrom('appointments')
    .select(['starts_at as startsAt', 'doctor_id as doctorId', 'cancelled'])
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  const about = { companyId, appointmentId, patientId, byUserId: null, now };
  // The page of the payment shows it.
  await queueNotification(tx, parts, { ...about, kind: 'receipt', ...(!cancelled && { shown }) });
  afterCommit(() => parts.push.schedule(companyId));
  return { is: 'paid' };
}

/**
 * Ends a locked charge whose refund the processor has accepted. Once all charges of the appointment are refunded, what else was collected
 * is taken out of the ledger, too: a refund sets collected to 0 (STATE-3).
 */
export async function recordRefunded(
  { parts, tx, afterCommit }: Scope & { readonly afterCommit: AfterCommit },
  charge: Charge,
): Promise<void> {
  const now = isoNow(parts.clock);
  const { companyId, appointment } = charge;
  await tx
    .updateTable('charges')
    .set({ state: 'refunded', refunded_at: now })
    .where('charge_id', '=', charge.chargeId)
    .execute();
  auditCharge({ parts, tx }, charge, 'chargeRefunded');
  if (!appointment) return;
  const { appointmentId } = appointment;
  const entry = entryOf(companyId, appointment, now);
  const { by, others } = await tx
    .selectFrom('charges as c')
    .select('c.refunded_by as by')
    .select((where) =>
      where
        .selectFrom('charges as o')
        .select((eb) => eb.fn.countAll<string>().as('n'))
        .whereRef('o.appointment_id', '=', 'c.appointment_id')
        .where('o.state', 'in', ['paid', 'refunding', 'disputed'])
        .where('o.amount', '>', '0')
        .as('others'),
    )
    .where('c.charge_id', '=', charge.chargeId)
    .executeTakeFirstOrThrow();
  const book = (
    kind: 'refund' | 'promo' | 'manual',
    cents: number,
    of: { charge_id?: number; refund_attempt?: number } = {},
  ) =>
    tx
      .insertInto('ledger')
      .values({ ...entry, ...of, kind, amount: fromCents(-cents), by_user_id: by })
      .execute();
  const attempt = { charge_id: charge.chargeId, refund_attempt: 1 + (await countReturned(tx, charge)) };
  await book('refund', toCents(charge.amount), attempt);
  const discount = toCents(charge.discount);
  if (discount > 0) await book('promo', discount);
  if (Number(others) === 0) {
    const rest = await restOf(tx, appointmentId);
    if (rest.discount !== 0) await book('promo', rest.discount);
    // Below 0: it was returned by hand, and then by the processor, too.
    if (rest.paid !== 0) await book(rest.paid > 0 ? 'refund' : 'manual', rest.paid);
  }
  await tellRefunded({ parts, tx }, charge, now);
  afterCommit(() => parts.push.schedule(companyId));
}

/** What all entries of an appointment's ledger have in common. */
const entryOf = (companyId: number, { appointmentId, patientId }: NonNullable<Charge['appointment']>, now: string) => ({
  company_id: companyId,
  appointment_id: appointmentId,
  patient_id: patientId,
  occurred_at: now,
});

/** What an appointment's ledger still has, cents. */
async function restOf(tx: Tx, appointmentId: number): Promise<{ discount: number; paid: number }> {
  const { discount, paid } = await tx
    .selectFrom('ledger')
    .select(sql<string>`coalesce(sum(amount) filter (where kind = 'promo'), 0)::numeric(10,2)`.as('discount'))
    .select(sql<string>`coalesce(sum(amount) filter (where kind <> 'promo'), 0)::numeric(10,2)`.as('paid'))
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  return { discount: toCents(discount), paid: toCents(paid) };
}

/** Tells the patient of what one request has refunded, once all charges of the appointment have an end. */
async function tellRefunded({ parts, tx }: Scope, charge: Charge, now: string): Promise<void> {
  const { appointment, companyId, refundAskedAt } = charge;
  if (!appointment) return;
  const { refunding, refunded, by } = await tx
    .selectFrom('charges')
    .select(sql<boolean>`coalesce(bool_or(state = 'refunding'), false)`.as('refunding'))
    .select(
      sql<boolean>`bool_or(state = 'refunded' and refund_asked_at is not distinct from ${refundAskedAt}::timestamptz)`.as(
        'refunded',
      ),
    )
    .select(sql<number | null>`max(refunded_by) filter (where charge_id = ${charge.chargeId})`.as('by'))
    .where('appointment_id', '=', appointment.appointmentId)
    .executeTakeFirstOrThrow();
  if (refunding || !refunded) return;
  await queueNotification(tx, parts, { companyId, ...appointment, kind: 'refunded', byUserId: by, now });
}

/** Ends a locked charge's refund without it: the clinic has to return the money in another way. */
export async function recordNotRefunded(
  { parts, tx }: Scope,
  charge: Charge,
  action: 'refundRefused' | 'chargeAbandoned',
): Promise<void> {
  await tx
    .updateTable('charges')
    .set({ state: 'paid', refund_asked_at: null, refund_failed_at: isoNow(parts.clock) })
    .where('charge_id', '=', charge.chargeId)
    .execute();
  auditCharge({ parts, tx }, charge, action);
  // Another charge of the same request may have been refunded.
  await tellRefunded({ parts, tx }, charge, isoNow(parts.clock));
}

/** How many refunds of a charge have come back. */
async function countReturned(tx: Tx, { chargeId }: Charge): Promise<number> {
  const { count } = await tx
    .selectFrom('ledger')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('charge_id', '=', chargeId)
    .where('kind', '=', 'refund')
    .where('amount', '>', '0')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Undoes a refund that the processor had accepted and that did not reach the card: the amount is in the ledger again, the clinic has to return it in
 * another way, and the patient is notified. The discount is taken off again as far as the fee leaves room for it. Cash that the refund took out of
 * the ledger stays out: the clinic has returned it itself.
 */
export async function recordReturned(
  { parts, tx, afterCommit }: Scope & { readonly afterCommit: AfterCommit },
  charge: Charge,
): Promise<void> {
  const now = isoNow(parts.clock);
  const { companyId, appointment } = charge;
  await tx
    .updateTable('charges')
    .set({
      state: 'paid',
      refund_asked_at: null,
      refunded_at: null,
      refund_failed_at: appointment && now,
    })
    .where('charge_id', '=', charge.chargeId)
    .execute();
  auditCharge({ parts, tx }, charge, 'refundReturned');
  if (!appointment) return;
  const { appointmentId } = appointment;
  const { fee, collected } = await tx
    .selectFrom('appointments')
    .select(['fee', 'collected'])
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  const room = toCents(fee) - toCents(collected) - toCents(charge.amount);
  const discount = Math.max(0, Math.min(toCents(charge.discount), room));
  const attempt = { charge_id: charge.chargeId, refund_attempt: 1 + (await countReturned(tx, charge)) };
  const entry = entryOf(companyId, appointment, now);
  await tx
    .insertInto('ledger')
    .values([
      { ...entry, ...attempt, kind: 'refund', amount: charge.amount },
      ...(discount > 0 ? [{ ...entry, kind: 'promo', amount: fromCents(discount) }] : []),
    ])
    .execute();
  await queueNotification(tx, parts, { companyId, ...appointment, kind: 'refundFailed', byUserId: null, now });
  afterCommit(() => parts.push.schedule(companyId));
}

/** What the server itself records about a charge; the request of the person has its own row. */
export function auditCharge({ parts, tx }: Scope, charge: Charge, action: string): void {
  const { appointment, chargeId, companyId } = charge;
  writeAudit(tx, [
    {
      caller: null,
      companyId,
      at: isoNow(parts.clock),
      action,
      path: '',
      objects: { chargeId, ...(appointment && { appointmentId: appointment.appointmentId }) },
      address: '',
      requestId: '',
    },
  ]);
}
