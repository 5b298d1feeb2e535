import { DeliveryError, isBeforeSending, type Transports } from './delivery.ts';
import { deliveryTexts } from './texts.ts';

const timeoutMs = 15_000;
/** Status codes after which a retry may succeed: rejected account, timeout, too many requests. */
const retryable = new Set([401, 402, 403, 408, 429]);
/** The gateway does not send to this number. */
const wrongNumber = 400;

/**
 * Returns a function that sends text messages by a gateway in Twilio's format: a form with To and Body, basic
 * authentication.
 *
 * @param address SMS_URL; its query (`From` or `MessagingServiceSid`) becomes fields of the form
 */
export function gatewayText(address: string): Transports['text'] {
  const url = new URL(address);
  const account = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const fixedFields = [...url.searchParams];
  const target = `${url.origin}${url.pathname}`;
  return async ({ to, text }) => {
    const status = await post(target, account, new URLSearchParams([...fixedFields, ['To', to], ['Body', text]]));
    if (status >= 200 && status < 300) return;
    if (status >= 500 || retryable.has(status))
      throw new DeliveryError(
        deliveryTexts.gatewayLater(status),
        false,
        status === 429 ? 'message' : 'server',
        // A gateway behind a proxy may have accepted it. 503: it has not.
        status >= 500 && status !== 503,
      );
    throw new DeliveryError(deliveryTexts.gatewayRefused(status), true, status === wrongNumber ? 'address' : 'message');
  };
}

async function post(target: string, account: string, body: URLSearchParams): Promise<number> {
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(account).toString('base64')}` },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    throw new DeliveryError(deliveryTexts.gatewayUnreachable, false, 'server', !isBeforeSending(code));
  }
}
