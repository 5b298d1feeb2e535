import type { Database } from '../../platform/database/database.ts';
import { DeliveryError, type Transports } from './delivery.ts';

/**
 * Wraps a function that sends messages: the first failure of the server stores an outage, and the next message that it accepts ends it.
 * The home of administrators shows it, also when no message has a row in notification_logs.
 */
export function watchOutages<M extends 'mail' | 'text'>(db: Database, method: M, send: Transports[M]): Transports[M] {
  const stored = method === 'mail' ? 'email' : 'text';
  return async (message: never, now: string) => {
    try {
      await send(message, now);
    } catch (error) {
      // The job reports the message's error, also when the outage cannot be stored.
      if (error instanceof DeliveryError && error.fault === 'server')
        await storeOutage(db, stored, now).catch(() => undefined);
      throw error;
    }
    // The message has been sent: an error here would send it again.
    await endOutage(db, stored).catch(() => undefined);
  };
}

const storeOutage = (db: Database, method: string, now: string) =>
  db.open({ kind: 'unauthenticated' }, (tx) =>
    tx
      .insertInto('delivery_outages')
      .values({ method, since: now, last_failed_at: now })
      .onConflict((conflict) => conflict.column('method').doUpdateSet({ last_failed_at: now }))
      .execute(),
  );

const endOutage = (db: Database, method: string) =>
  db.open({ kind: 'unauthenticated' }, (tx) =>
    tx.deleteFrom('delivery_outages').where('method', '=', method).execute(),
  );
