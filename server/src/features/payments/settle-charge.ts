import { isoNow } from '../../platform/clock.ts';
import { abandonedMs, type Charge, type ChargeId, isOpen, lockCharge } from '../charges/charge-rows.ts';
import { accountOf, processorOf } from './accounts.ts';
import { auditCharge, type PaymentParts, recordFailed, recordPaid, type Settled, settledOf } from './end-charge.ts';
import { type Account, type ChargeOutcome, NoAnswer, WrongKeys } from './processors.ts';

/** The request that created a charge asks within this time, ms. Afterwards it is given up: no one was asked for money. */
const createdMs = 15_000;

/** Whether the request that has just created a charge is about to ask the processor. */
export const isAboutToBeAsked = ({ clock }: PaymentParts, { state, createdAt }: Charge): boolean =>
  state === 'created' && clock.now() - Date.parse(createdAt) < createdMs;

/** A bank's question that no one answers for this long is given up, ms. */
const actionMs = 30 * 60_000;

/**
 * Brings a charge as far as possible: asks the processor and records the answer. Repeatable, and safe for simultaneous callers and killed
 * servers: the processor charges once by key, and the answer is recorded once behind the lock of the row.
 */
export async function settleCharge(parts: PaymentParts, id: ChargeId): Promise<Settled> {
  const asked = await markAsked(parts, id);
  if (!('account' in asked)) return asked;
  const { charge, account } = asked;
  let outcome: ChargeOutcome;
  try {
    outcome = await ask(parts, charge, account);
  } catch (error) {
    if (!(error instanceof NoAnswer || error instanceof WrongKeys)) throw error;
    // The reason is the processor's, without data of the card or the patient.
    parts.log.warn({ ...id, reason: error.name }, 'a payment processor did not answer');
    return { is: 'open' };
  }
  return recordOutcome(parts, id, outcome);
}

/** Before the processor is asked, the row says so: from then on only the processor knows whether money was taken. */
function markAsked(parts: PaymentParts, id: ChargeId): Promise<Settled | { charge: Charge; account: Account }> {
  return parts.db.open({ kind: 'job', companyId: id.companyId }, async (tx) => {
    const charge = await lockCharge(tx, id.chargeId);
    if (!charge || !isOpen(charge)) return settledOf(charge);
    const notAsked = { failure: 'card-error', externalId: '' } as const;
    if (charge.state === 'created' && !isAboutToBeAsked(parts, charge))
      return recordFailed({ parts, tx }, charge, notAsked);
    const account = await accountOf(tx, parts, charge);
    if (typeof account === 'string') {
      if (charge.state === 'created') return recordFailed({ parts, tx }, charge, notAsked);
      const isAbandoned = account === 'replaced' && parts.clock.now() - Date.parse(charge.createdAt) > abandonedMs;
      if (!isAbandoned) return { is: 'open' };
      auditCharge({ parts, tx }, charge, 'chargeAbandoned');
      return recordFailed({ parts, tx }, charge, { ...notAsked, externalId: charge.externalId });
    }
    await tx
      .updateTable('charges')
      .set({ state: charge.state === 'created' ? 'asked' : charge.state, asked_at: isoNow(parts.clock) })
      .where('charge_id', '=', id.chargeId)
      .execute();
    return { charge, account };
  });
}

async function ask(parts: PaymentParts, charge: Charge, account: Account): Promise<ChargeOutcome> {
  const processor = await processorOf(parts, account.processor);
  if (charge.state !== 'action') {
    const { key, amount, currency, method, createdAt } = charge;
    return processor.charge(account, {
      key,
      amount,
      currency,
      method,
      createdAt,
      isAttended: charge.attended,
    });
  }
  const isOver = parts.clock.now() - Date.parse(charge.createdAt) > actionMs;
  return isOver ? processor.cancel(account, charge) : processor.find(account, charge);
}

function recordOutcome(parts: PaymentParts, id: ChargeId, outcome: ChargeOutcome): Promise<Settled> {
  return parts.db.open({ kind: 'job', companyId: id.companyId }, async (tx, afterCommit) => {
    const charge = await lockCharge(tx, id.chargeId);
    if (!charge || !isOpen(charge)) return settledOf(charge);
    switch (outcome.is) {
      case 'failed':
        return recordFailed({ parts, tx }, charge, outcome);
      case 'action':
        await tx
          .updateTable('charges')
          .set({ state: 'action', external_id: outcome.externalId, action_token: outcome.actionToken })
          .where('charge_id', '=', id.chargeId)
          .execute();
        return { is: 'open' };
      case 'paid':
        return recordPaid({ parts, tx, afterCommit }, charge, outcome);
    }
  });
}
