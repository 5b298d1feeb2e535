import type { BodyOf } from '@roomside/contract/call.ts';
import type { Card, Purchase } from '@roomside/contract/licenses/calls.ts';
import {
  calculateLicense as calculateCall,
  accountPay as payCall,
  settleLicense as settleCall,
} from '@roomside/contract/licenses/calls.ts';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsersInSteps } from '../../platform/http/handler.ts';
import { fieldRefusal, notFound, Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { countEndedLicenseCharges, openLicenseCharge, readLastLicenseCharge } from '../charges/charge-rows.ts';
import { licenseYear } from '../charges/extend-license.ts';
import { resolveCompanyId } from '../companies/get-company.ts';
import { licenseAccount } from '../payments/accounts.ts';
import type { Settled } from '../payments/end-charge.ts';
import { isAboutToBeAsked, settleCharge } from '../payments/settle-charge.ts';
import { readCards } from './card-rows.ts';
import { readLicense } from './license-rows.ts';
import { priceOf } from './price.ts';
import { findPromo, startPurchase } from './start-purchase.ts';

/** Guessing promo codes is slowed down. */
const throttlePromo = (context: Context, companyId: number) =>
  throttle(context, [{ scope: 'promo', subject: `license ${companyId}` }]);

/** Fewer providers than are enabled cannot be bought. */
function requireEnough(providers: number, { providersInUse }: { providersInUse: number }): void {
  if (providers < providersInUse) throw fieldRefusal('providers-in-use', 'providerCount');
}

/** CALL-26. */
export const calculateLicense = forUsersInSteps(calculateCall, async ({ context, body, now, look }) => {
  const { companyId: named, providerCount: providers } = body.user.company;
  const companyId = await look(async (_tx, caller) => resolveCompanyId(caller, named));
  const code = body.promoCode?.code;
  const { forgive } = code === undefined ? { forgive: undefined } : await throttlePromo(context, companyId);
  const calculated = await look(async (tx) => {
    const { license, today } = await readLicense(tx, context, { companyId, now });
    requireEnough(providers, license);
    const discountRate = code === undefined ? 0 : (await findPromo(tx, code, now)).discount_rate;
    const { expirationDate, price, currency } = license;
    return {
      ...priceOf({ providers, price, currency, discountRate }),
      discountRate,
      currency,
      expirationDate: licenseYear({ expirationDate, today }).endsOn,
    };
  });
  await forgive?.();
  return calculated;
});

type Look = <T>(work: (tx: Tx, caller: StaffCaller | SuperCaller) => Promise<T>) => Promise<T>;

/** How the license of a company stands after a charge. */
async function purchaseOf(
  look: Look,
  context: Context,
  { companyId, now, chargedBackup = false }: { companyId: number; now: string; chargedBackup?: boolean },
): Promise<Purchase> {
  const { license } = await look((tx) => readLicense(tx, context, { companyId, now }));
  const { expirationDate, payment } = license;
  return {
    state: payment?.state ?? 'paid',
    expirationDate,
    actionToken: payment?.actionToken ?? null,
    chargedBackup,
  };
}

/** What the processor charges for a card on the wire. */
async function methodOf(context: Context, tx: Tx, companyId: number, card: Card | null): Promise<string | null> {
  if (card === null) return null;
  if ('token' in card) return card.token;
  const cards = await readCards(tx, companyId, licenseAccount(context.settings));
  const kept = cards.find(({ cardId }) => cardId === card.cardId);
  if (!kept) throw notFound();
  return kept.method;
}

/** Settles the open charge of a company's license, if there is one. Null: there is none. */
async function settleOpen(context: Context, look: Look, companyId: number): Promise<Settled | null> {
  const open = await look((tx) => openLicenseCharge(tx, companyId));
  if (!open) return null;
  // Another request is about to ask for it.
  if (isAboutToBeAsked(context, open)) return { is: 'open' };
  return settleCharge(context, { companyId, chargeId: open.chargeId });
}

/** CALL-26. */
export const accountPay = forUsersInSteps(payCall, async ({ context, body, now, look, commit, touched }) => {
  const companyId = await look(async (_tx, caller) => resolveCompanyId(caller, body.user.company.companyId));
  const promo = body.promoCode === null ? null : await throttlePromo(context, companyId);
  const earlier = await settleOpen(context, look, companyId);
  if (earlier && earlier.is !== 'failed') return purchaseOf(look, context, { companyId, now });

  /** Charges one card. Null: another request has begun meanwhile. */
  const charge = async (card: Card | null): Promise<Settled | null> => {
    const chargeId = await commit(async (tx, _caller, afterCommit) => {
      touched('companyId', companyId);
      const stored = await readLicense(tx, context, { companyId, now, lock: true });
      if (stored.license.payment) return undefined;
      if (stored.license.expirationDate !== body.expirationDate) throw new Refusal('license-changed');
      requireEnough(body.user.company.providerCount, stored.license);
      const method = await methodOf(context, tx, companyId, card);
      const started = await startPurchase({ parts: context, tx, afterCommit, now }, stored, orderOf(body, method));
      if (started !== null) touched('chargeId', started);
      return started;
    });
    if (chargeId === undefined) return null;
    return chargeId === null ? { is: 'paid' } : settleCharge(context, { companyId, chargeId });
  };

  const first = await charge(body.card);
  await promo?.forgive();
  const triesBackup = first?.is === 'failed' && body.backup !== null;
  const last = triesBackup ? await charge(body.backup) : first;
  if (last?.is === 'failed') throw new Refusal(last.failure);
  return purchaseOf(look, context, { companyId, now, chargedBackup: triesBackup && last?.is === 'paid' });
});

const orderOf = (body: BodyOf<typeof payCall>, method: string | null) => ({
  providers: body.user.company.providerCount,
  promoCode: body.promoCode?.code ?? null,
  method,
  amount: body.amount,
  automatic: false,
});

export const settleLicense = forUsersInSteps(settleCall, async ({ context, params, body, now, look }) => {
  const companyId = await look(async (_tx, caller) => resolveCompanyId(caller, params.companyId));
  await settleOpen(context, look, companyId);
  const { last, ended } = await look(async (tx) => ({
    last: await readLastLicenseCharge(tx, companyId),
    ended: await countEndedLicenseCharges(tx, companyId),
  }));
  if (last?.state === 'failed' && ended > body.endedCharges) throw new Refusal(last.failure || 'card-error');
  return purchaseOf(look, context, { companyId, now });
});
