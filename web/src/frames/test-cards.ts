/** The card numbers that the sandbox accepts, with what happens to a payment. The first word becomes a part of the token. */
export const testCards = [
  { number: '4242424242424242', outcome: 'paid', text: 'Paid (Visa)' },
  { number: '5555555555554444', outcome: 'paid', text: 'Paid (Mastercard)' },
  { number: '378282246310005', outcome: 'paid', text: 'Paid (American Express)' },
  { number: '4000000000000002', outcome: 'declined', text: 'Declined' },
  { number: '4000000000009995', outcome: 'insufficient', text: 'Not enough money' },
  { number: '4000000000000069', outcome: 'expired', text: 'Expired' },
  { number: '4000000000000127', outcome: 'code', text: 'Wrong security code' },
  { number: '4000000000000119', outcome: 'error', text: 'The card company fails' },
  { number: '4000002500003155', outcome: 'confirm', text: 'The bank asks for approval' },
  { number: '4000000000005126', outcome: 'norefund', text: 'Paid, a refund fails' },
  { number: '4000000000005134', outcome: 'comeback', text: 'Paid, a refund comes back after 3 seconds' },
  { number: '4000000000000259', outcome: 'dispute', text: 'Paid, disputed after 3 seconds' },
  { number: '4000000000005001', outcome: 'slow', text: 'Paid after 5 seconds' },
  { number: '4000000000006009', outcome: 'silent', text: 'Paid, but the answer is lost' },
] as const;
