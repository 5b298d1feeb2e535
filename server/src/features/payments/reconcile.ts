import { sql } from 'kysely';
import { forAll } from '../../platform/repeat.ts';
import { type ChargeId, lockCharge } from '../charges/charge-rows.ts';
import { accountOf } from './accounts.ts';
import type { PaymentParts } from './end-charge.ts';
import { followCharge } from './follow-charge.ts';
import { settleRefund } from './refund.ts';
import { changedInSandbox } from './sandbox.ts';
import { settleCharge } from './settle-charge.ts';

/** A charge or a refund that no one has asked about for this long is asked about again, ms. */
const askAgainMs = 20_000;
/** Charges of one round: a processor that is down must not keep a round busy for long. */
const perRound = 50;

/** Brings charges and refunds to their end whose request was lost: a killed server, a lost answer, a closed page. */
export async function reconcileCharges(parts: PaymentParts): Promise<void> {
  const before = new Date(parts.clock.now() - askAgainMs).toISOString();
  const { rows } = await parts.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; charge_id: number }>`select * from unsettled_charges(${before}, ${perRound})`.execute(tx),
  );
  try {
    await forAll(rows, async ({ company_id: companyId, charge_id: chargeId }) => {
      const id: ChargeId = { companyId, chargeId };
      const charge = await parts.db.open({ kind: 'job', companyId }, (tx) => lockCharge(tx, chargeId));
      if (charge?.state === 'refunding') await settleRefund(parts, id);
      else await settleCharge(parts, id);
    });
  } finally {
    await followSandbox(parts);
  }
}

/** The sandbox sends no messages: what becomes of its charges later is asked for. */
async function followSandbox(parts: PaymentParts): Promise<void> {
  for (const id of await changedInSandbox(parts)) {
    const account = await parts.db.open({ kind: 'job', companyId: id.companyId }, async (tx) => {
      const charge = await lockCharge(tx, id.chargeId);
      return charge && accountOf(tx, parts, charge);
    });
    if (account && typeof account !== 'string') await followCharge(parts, account, id);
  }
}
