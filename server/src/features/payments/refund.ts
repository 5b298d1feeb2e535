import { refundAppointment as call } from '@roomside/contract/payments/calls.ts';
import type { Updateable } from 'kysely';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Charges } from '../../platform/database/schema.ts';
import { forStaffInSteps } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { lockAppointment } from '../appointments/lock-appointment.ts';
import {
  abandonedMs,
  type Charge,
  type ChargeId,
  isOpen,
  lockCharge,
  readCharges,
  readReturnable,
} from '../charges/charge-rows.ts';
import { accountOf, processorOf } from './accounts.ts';
import { type PaymentParts, recordNotRefunded, recordRefunded } from './end-charge.ts';
import { type Account, NoAnswer, WrongKeys } from './processors.ts';

/**
 * How a refund stands. `open`: the processor has not answered; it is asked again until it does. `elsewhere`: only an account that the company no
 * longer has can return it.
 */
export type Refunded = 'done' | 'refused' | 'elsewhere' | 'open';

interface RefundReason {
  readonly reason: string;
  /** Null: the rule of the company, after the patient has cancelled. */
  readonly byUserId: number | null;
  /** ISO. */
  readonly now: string;
}

/**
 * Marks the paid charges of a locked appointment, which {@link settleRefund} then returns. Returns their ids. Charges that are still open are
 * returned once they are paid.
 */
export async function requestRefund(tx: Tx, appointmentId: number, { reason, byUserId, now }: RefundReason) {
  const open = (await readCharges(tx, appointmentId)).filter(isOpen);
  const returnable = await readReturnable(tx, appointmentId);
  const asked = { refund_reason: reason, refunded_by: byUserId, refund_asked_at: now };
  const mark = async (charges: readonly Charge[], values: Updateable<Charges>) => {
    const ids = charges.map(({ chargeId }) => chargeId);
    if (ids.length > 0) await tx.updateTable('charges').set(values).where('charge_id', 'in', ids).execute();
    return ids;
  };
  await mark(open, asked);
  return mark(returnable, { ...asked, state: 'refunding', refund_failed_at: null });
}

/** Asks the processor to return a charge and records its answer. Repeatable, as settleCharge. */
export async function settleRefund(parts: PaymentParts, id: ChargeId): Promise<Refunded> {
  const asked = await parts.db.open({ kind: 'job', companyId: id.companyId }, (tx) => markAsked(parts, tx, id));
  if (typeof asked === 'string') return asked;
  let accepted: boolean;
  try {
    const processor = await processorOf(parts, asked.account.processor);
    accepted = await processor.refund(asked.account, asked.charge);
  } catch (error) {
    if (!(error instanceof NoAnswer || error instanceof WrongKeys)) throw error;
    parts.log.warn({ ...id, reason: error.name }, 'a payment processor did not answer');
    return 'open';
  }
  return parts.db.open({ kind: 'job', companyId: id.companyId }, async (tx, afterCommit) => {
    const charge = await lockCharge(tx, id.chargeId);
    if (charge?.state !== 'refunding') return stateOf(charge);
    if (accepted) {
      await recordRefunded({ parts, tx, afterCommit }, charge);
      return 'done';
    }
    await recordNotRefunded({ parts, tx }, charge, 'refundRefused');
    return 'refused';
  });
}

async function markAsked(
  parts: PaymentParts,
  tx: Tx,
  { chargeId }: ChargeId,
): Promise<Refunded | { charge: Charge; account: Account }> {
  const charge = await lockCharge(tx, chargeId);
  if (charge?.state !== 'refunding') return stateOf(charge);
  const account = await accountOf(tx, parts, charge);
  if (account === 'replaced' && !mayHaveAsked(charge)) {
    await recordNotRefunded({ parts, tx }, charge, 'refundRefused');
    return 'elsewhere';
  }
  await tx
    .updateTable('charges')
    .set({ asked_at: isoNow(parts.clock) })
    .where('charge_id', '=', chargeId)
    .execute();
  if (typeof account !== 'string') return { charge, account };
  const { refundAskedAt } = charge;
  const isAbandoned =
    account === 'replaced' && refundAskedAt !== null && parts.clock.now() - Date.parse(refundAskedAt) > abandonedMs;
  if (!isAbandoned) return 'open';
  await recordNotRefunded({ parts, tx }, charge, 'chargeAbandoned');
  return 'refused';
}

/** Whether a processor may have been asked for the present refund. If not, nothing has been returned. */
const mayHaveAsked = ({ askedAt, refundAskedAt }: Charge): boolean =>
  askedAt !== null && refundAskedAt !== null && Date.parse(askedAt) >= Date.parse(refundAskedAt);

const stateOf = (charge: Charge | undefined): Refunded => (charge?.state === 'refunded' ? 'done' : 'refused');

/** CALL-5, APPT-4, STATE-3. */
export const refundAppointment = forStaffInSteps(call, async ({ context, params, body, now, look, commit }) => {
  const { appointmentId } = params;
  refuseCardNumbers({ reason: body.reason });
  const { caller, ids } = await commit(async (tx, who) => {
    await lockAppointment(tx, { id: appointmentId }, now);
    if ((await readCharges(tx, appointmentId)).some(isOpen)) throw new Refusal('payment-open');
    const reason = { reason: body.reason.trim(), byUserId: who.userId, now };
    const marked = await requestRefund(tx, appointmentId, reason);
    if (marked.length === 0) throw new Refusal('nothing-to-refund');
    return { caller: who, ids: marked };
  });
  const ends: Refunded[] = [];
  for (const chargeId of ids) ends.push(await settleRefund(context, { companyId: caller.companyId, chargeId }));
  if (ends.includes('refused')) throw new Refusal('refund-failed');
  if (ends.includes('elsewhere')) throw new Refusal('refund-elsewhere');
  if (ends.includes('open')) throw new Refusal('refund-open');
  return look(async (tx) => {
    const row = await tx
      .selectFrom('appointments')
      .select(['collected', 'version'])
      .where('appointment_id', '=', appointmentId)
      .executeTakeFirst();
    if (!row) throw notFound();
    return row;
  });
});
