import type { PaymentCard } from '@roomside/contract/licenses/calls.ts';
import { type CardPosition, maskedNumber } from '@roomside/contract/licenses/cards.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Account } from '../payments/processors.ts';

/** A kept card. `method` is the processor's reference, which a charge names. */
export interface StoredCard extends PaymentCard {
  readonly position: CardPosition;
  readonly method: string;
  readonly last4: string;
}

/** The cards of a company that the present account keeps, the primary one first. */
export async function readCards(
  tx: Tx,
  companyId: number,
  account: Pick<Account, 'processor' | 'user'> | null,
): Promise<StoredCard[]> {
  if (!account) return [];
  const rows = await tx
    .selectFrom('payment_cards')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('processor', '=', account.processor)
    .where('account', '=', account.user)
    .orderBy('position', 'desc')
    .execute();
  return rows.map((row) => ({
    cardId: row.card_id,
    position: row.position as CardPosition,
    method: row.reference,
    brand: row.brand,
    last4: row.last4,
    cardNumber: maskedNumber(row),
    expDate: `${String(row.exp_month).padStart(2, '0')}/${row.exp_year}`,
  }));
}

/** What a page is shown of cards. */
export const shownCards = (cards: readonly StoredCard[]): { data: PaymentCard[] } => ({
  data: cards.map(({ cardId, position, brand, cardNumber, expDate }) => ({
    cardId,
    position,
    brand,
    cardNumber,
    expDate,
  })),
});
