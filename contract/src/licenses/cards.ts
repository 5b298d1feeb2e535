/** The two cards of a company's license. The backup is charged when the primary one is declined. */
export const cardPositions = ['primary', 'backup'] as const;
export type CardPosition = (typeof cardPositions)[number];

/** VALID-27: how the number of a kept card is shown: X and the last four digits. American Express has 15 digits. */
export const maskedNumber = ({ brand, last4 }: { brand: string; last4: string }): string =>
  'X'.repeat(brand === 'amex' ? 11 : 12) + last4;
