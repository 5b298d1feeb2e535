import {
  deletePaymentCard as deleteCall,
  getPaymentCards as getCall,
  updatePaymentCard as updateCall,
} from '@roomside/contract/licenses/calls.ts';
import { forUsers, forUsersInSteps } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { resolveCompanyId } from '../companies/get-company.ts';
import { licenseAccount, processorOf } from '../payments/accounts.ts';
import { NoAnswer, WrongKeys } from '../payments/processors.ts';
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
    return commit(async (tx) => {
      touched('companyId', companyId);
      await readLicense(tx, context, { companyId, now, lock: true });
      await tx
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
      return shownCards(await readCards(tx, companyId, account));
    });
  },
);

/** CALL-27, VALID-27. */
export const deletePaymentCard = forUsers(deleteCall, async ({ context, caller, params, tx, now, touched }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  await readLicense(tx, context, { companyId, now, lock: true });
  touched('companyId', companyId);
  const account = licenseAccount(context.settings);
  const cards = await readCards(tx, companyId, account);
  if (!cards.some(({ cardId }) => cardId === params.cardId)) throw notFound();
  if (cards.length < 2) throw new Refusal('last-card');
  await tx.deleteFrom('payment_cards').where('card_id', '=', params.cardId).execute();
  // What is left is the primary card.
  await tx.updateTable('payment_cards').set({ position: 'primary' }).where('company_id', '=', companyId).execute();
  return shownCards(await readCards(tx, companyId, account));
});
