import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { type Charge, type ChargeId, lockCharge } from '../charges/charge-rows.ts';
import { processorOf } from './accounts.ts';
import { auditCharge, type PaymentParts, recordNotRefunded, recordRefunded, recordReturned } from './end-charge.ts';
import type { Account, Facts } from './processors.ts';

/** How often a charge that changes meanwhile is looked at again. */
const maxTurns = 5;

/** Records what became of a paid charge at its processor: refunded there, a refund that came back, disputed, or a dispute that is over. */
export async function followCharge(parts: PaymentParts, account: Account, id: ChargeId): Promise<void> {
  const { companyId, chargeId } = id;
  const processor = await processorOf(parts, account.processor);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const before = await parts.db.open({ kind: 'job', companyId }, (tx) => lockCharge(tx, chargeId));
    if (!before) return;
    const facts = await processor.inspect(account, before);
    const isRecorded = await parts.db.open({ kind: 'job', companyId }, async (tx, afterCommit) => {
      const charge = await lockCharge(tx, chargeId);
      // What was read may be about an earlier refund.
      if (charge?.state !== before.state || charge.refundAskedAt !== before.refundAskedAt) return false;
      await recordFacts({ parts, tx, afterCommit }, charge, facts);
      return true;
    });
    if (isRecorded) return;
  }
  // Asked for again by the processor's next message.
  throw new Error('A charge changes too often to follow it.');
}

interface Scope {
  readonly parts: PaymentParts;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
}

async function recordFacts(scope: Scope, charge: Charge, { isRefunded, isReturned, isDisputed }: Facts): Promise<void> {
  if (charge.state === 'refunded' && isReturned) return recordReturned(scope, charge);
  if (!['paid', 'refunding', 'disputed'].includes(charge.state)) return;
  if (isRefunded) return recordRefunded(scope, charge);
  const state = isDisputed ? 'disputed' : charge.state === 'disputed' ? 'paid' : charge.state;
  if (state === charge.state) return;
  // The bank decides now. Once it has, the clinic has to look at the refund again.
  if (charge.state === 'refunding') await recordNotRefunded(scope, charge, 'refundRefused');
  auditCharge(scope, charge, isDisputed ? 'chargeDisputed' : 'disputeWon');
  await scope.tx.updateTable('charges').set({ state }).where('charge_id', '=', charge.chargeId).execute();
}
