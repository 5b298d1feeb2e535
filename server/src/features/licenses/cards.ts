import {
  deletePaymentCard as deleteCall,
  getPaymentCards as getCall,
  updatePaymentCard as updateCall,
} from '@roomside/contract/licenses/calls.ts';
import type { Context } from '../../platform/context.ts';
import { forUsers, forUsersInSteps } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { resolveCompanyId } from '../companies/get-company.ts';
import { licenseAccount, processorOf } from '../payments/accounts.ts';
import { type Account, NoAnswer, WrongKeys } from '../payments/processors.ts';
import { readCards, shownCards } from './card-rows.ts';
import { readLicense } from './license-rows.ts';

/** CALL-27. */
export const getPaymentCards = forUsers(getCall, async ({ context, caller, params, tx, now }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  // Refuses a company that does not exist.
  await readLicense(tx, context, { companyId, now });
  return shownCards(await readCards(tx, companyId, licenseAccount(context.settings)));
});

/** CALL-27. */
export const updatePaymentCard = forUsersInSteps(
  updateCall,
  async ({ context, params, body, now, look, commit, touched }) => {
    const { companyId, companyUid } = await look(async (tx, caller) => {
      const id = resolveCompanyId(caller, params.companyId);
      return { companyId: id, companyUid: (await readLicense(tx, context, { companyId: id, now })).companyUid };
    });
    const account = licenseAccount(context.settings);
    if (!account) throw new Refusal('license-payments-off');
    const kept = await (await processorOf(context, account.processor))
      .keepCard(account, body.token, companyUid)
      .catch((error: unknown) => {
        if (error instanceof NoAnswer) throw new Refusal('unavailable', { retryAfter: 10 });
        if (error instanceof WrongKeys) throw new Refusal('license-payments-off');
        throw error;
      });
    if ('failure' in kept) throw new Refusal(kept.failure);
    const { replaced, cards } = await commit(async (tx) => {
      touched('companyId', companyId);
      await readLicense(tx, context, { companyId, now, lock: true });
      const deleted = await tx
        .deleteFrom('payment_cards')
        .where('company_id', '=', companyId)
        // A card of another account cannot be charged any more.
        .where((eb) =>
          eb.or([
            eb('position', '=', body.position),
            eb('processor', '<>', account.processor),
            eb('account', '<>', account.user),
          ]),
        )
        .returning(['reference', 'processor', 'account'])
        .execute();
      await tx
        .insertInto('payment_cards')
        .values({
          company_id: companyId,
          position: body.position,
          processor: account.processor,
          account: account.user,
          reference: kept.reference,
          brand: kept.brand,
          last4: kept.last4,
          exp_month: kept.month,
          exp_year: kept.year,
          created_at: now,
        })
        .execute();
      const own = deleted.filter((card) => card.processor === account.processor && card.account === account.user);
      return { replaced: own.map(({ reference }) => reference), cards: await readCards(tx, companyId, account) };
    });
    for (const reference of replaced) await dropCard(context, account, reference);
    return shownCards(cards);
  },
);

/** CALL-27, VALID-27. */
export const deletePaymentCard = forUsersInSteps(deleteCall, async ({ context, params, now, touched, commit }) => {
  const account = licenseAccount(context.settings);
  const { reference, left } = await commit(async (tx, caller) => {
    const companyId = resolveCompanyId(caller, params.companyId);
    await readLicense(tx, context, { companyId, now, lock: true });
    touched('companyId', companyId);
    const cards = await readCards(tx, companyId, account);
    const card = cards.find(({ cardId }) => cardId === params.cardId);
    if (!card) throw notFound();
    if (cards.length < 2) throw new Refusal('last-card');
    await tx.deleteFrom('payment_cards').where('card_id', '=', params.cardId).execute();
    // What is left is the primary card.
    await tx.updateTable('payment_cards').set({ position: 'primary' }).where('company_id', '=', companyId).execute();
    return { reference: card.method, left: await readCards(tx, companyId, account) };
  });
  if (account) await dropCard(context, account, reference);
  return shownCards(left);
});

/** Deletes a card at the processor. It is not charged any more in any case, so a failure is only logged. */
async function dropCard(context: Context, account: Account, reference: string): Promise<void> {
  try {
    await (await processorOf(context, account.processor)).dropCard(account, reference);
  } catch (error) {
    if (!(error instanceof NoAnswer || error instanceof WrongKeys)) throw error;
    context.log.warn({ reason: error.name }, 'a card could not be deleted at the payment processor');
  }
}
