import { DeliveryError, type Transports } from './delivery.ts';
import { deliveryTexts } from './texts.ts';

const withinMs = 15_000;
/** Answers after which the same request may succeed: an account that has to be put right, time-out, too many. */
const later = new Set([401, 402, 403, 408, 429]);

/**
 * Sends by a gateway that speaks Twilio's format: a form with To and Body, basic authentication. `address` is SMS_URL;
 * its query (`From` or `MessagingServiceSid`) becomes fields of the form.
 */
export function gatewayText(address: string): Transports['text'] {
  const url = new URL(address);
  const account = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const fixed = [...url.searchParams];
  const target = `${url.origin}${url.pathname}`;
  return async ({ to, text }) => {
    const status = await post(target, account, new URLSearchParams([...fixed, ['To', to], ['Body', text]]));
    if (status >= 200 && status < 300) return;
    throw status >= 500 || later.has(status)
      ? new DeliveryError(deliveryTexts.gatewayLater(status), false)
      : new DeliveryError(deliveryTexts.gatewayRefused(status), true);
  };
}

async function post(target: string, account: string, body: URLSearchParams): Promise<number> {
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(account).toString('base64')}` },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    throw new DeliveryError(deliveryTexts.gatewayAway, false);
  }
}
