/** What Stripe is asked to send. */
export const webhookEvents = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const;

/** The route, by the uid of the company. */
export const webhookPath = '/api/payment-webhooks/stripe/:companyUid';
/** The address that Stripe sends a company's events to. */
export const webhookUrl = (publicUrl: string, companyUid: string): string =>
  `${publicUrl}${webhookPath.replace(':companyUid', companyUid)}`;
