import type { AppointmentBody } from '@roomside/contract/appointments/calls.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { hasOpenCharge } from '../charges/charge-rows.ts';

interface CollectInput {
  readonly body: AppointmentBody;
  readonly appointmentId: number;
  readonly patientId: number;
  /** The current sum of the ledger, dollars. */
  readonly before: string;
  readonly fee: string;
  /** The fee until now; of a new appointment its own. */
  readonly feeBefore: string;
  /** ISO. */
  readonly now: string;
}

/**
 * Writes the difference between the amount that an administrator typed and the ledger into the ledger.
 *
 * @throws Refusal `stale` when it was typed over another amount than that of the ledger; `collected-above-fee`, unless neither the amount nor the fee
 * was changed; `payment-open` while a card is being charged
 */
export async function collect(
  tx: Tx,
  caller: StaffCaller,
  { body, appointmentId, patientId, before, fee, feeBefore, now }: CollectInput,
): Promise<void> {
  const cents = toCents(before);
  const { collected, collectedBefore }: Partial<AppointmentBody> = may(caller.role, 'fee.write') ? body : {};
  const typed = collected === undefined ? cents : toCents(collected);
  // A card was charged meanwhile: the difference would take that payment out of the ledger.
  if (collected !== undefined && collectedBefore !== undefined && toCents(collectedBefore) !== cents)
    throw new Refusal('stale');
  const changesAmounts = typed !== cents || toCents(fee) !== toCents(feeBefore);
  if (typed > toCents(fee) && changesAmounts) {
    throw fieldRefusal('collected-above-fee', 'collected');
  }
  if (changesAmounts && (await hasOpenCharge(tx, appointmentId))) throw new Refusal('payment-open');
  if (typed === cents) return;
  await tx
    .insertInto('ledger')
    .values({
      company_id: caller.companyId,
      appointment_id: appointmentId,
      patient_id: patientId,
      kind: 'manual',
      amount: fromCents(typed - cents),
      by_user_id: caller.userId,
      occurred_at: now,
    })
    .execute();
}
