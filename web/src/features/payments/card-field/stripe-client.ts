import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

let loaded: { publicKey: string; stripe: Promise<Stripe | null> } | undefined;

/** Loads Stripe's script from js.stripe.com with the first use; throws when it cannot be loaded. */
export async function stripeOf(publicKey: string): Promise<Stripe> {
  if (loaded?.publicKey !== publicKey) {
    // Otherwise the script would also report how a patient moves on the page.
    if (!loaded) loadStripe.setLoadParameters({ advancedFraudSignals: false });
    loaded = { publicKey, stripe: loadStripe(publicKey) };
  }
  const stripe = await loaded.stripe.catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  if (!stripe) throw new Error('Stripe was not loaded.');
  return stripe;
}

/** Lets the patient confirm a payment with their bank; `clientSecret` is that of its payment intent. */
export async function confirmWithStripe(publicKey: string, clientSecret: string): Promise<'done' | 'failed'> {
  const stripe = await stripeOf(publicKey);
  const { error } = await stripe.handleNextAction({ clientSecret });
  return error ? 'failed' : 'done';
}
