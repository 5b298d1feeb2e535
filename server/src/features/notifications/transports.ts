import type { Database } from '../../platform/database/database.ts';
import { isOwnMachine, type Settings } from '../../platform/settings.ts';
import { DeliveryError, type OpenTransports } from './delivery.ts';
import { smtpMail } from './mail.ts';
import { watchOutages } from './outages.ts';
import { outboxTransports } from './outbox.ts';
import { gatewayText } from './text.ts';
import { deliveryTexts } from './texts.ts';

/** Returns the configured transports; in the demo the outbox; otherwise ones that fail with the reason. */
export function createTransports(
  settings: Pick<Settings, 'SMTP_URL' | 'MAIL_FROM' | 'SMS_URL' | 'ALLOW_CLEAR_TEXT'>,
  db: Database,
  demo: boolean,
): OpenTransports {
  const { SMTP_URL, MAIL_FROM, SMS_URL, ALLOW_CLEAR_TEXT } = settings;
  const none = (reason: string) => () => Promise.reject(new DeliveryError(reason, true));
  const mayBeClear = (url: string) =>
    isOwnMachine(new URL(url).hostname) || (ALLOW_CLEAR_TEXT?.includes('SMTP_URL') ?? false);
  const outbox = demo ? outboxTransports(db) : null;
  const smtp = SMTP_URL !== null && MAIL_FROM !== null ? smtpMail(SMTP_URL, MAIL_FROM, mayBeClear(SMTP_URL)) : null;
  return {
    mail: smtp ? watchOutages(db, 'mail', smtp.send) : (outbox?.mail ?? none(deliveryTexts.noMailServer)),
    text:
      SMS_URL !== null
        ? watchOutages(db, 'text', gatewayText(SMS_URL))
        : (outbox?.text ?? none(deliveryTexts.noGateway)),
    close: () => smtp?.close(),
  };
}
