import { randomBytes } from 'node:crypto';
import type { Tx } from '../../platform/database/database.ts';
import type { Keys } from '../../platform/keys.ts';

/** A sign-in whose password or link was right, until its second factor. It gives no access. */
export interface Ticket {
  readonly userId: number;
  /** The call that began the sign-in, for its audit row. */
  readonly action: string;
  /** Whether the sign-in lasts 30 days. */
  readonly remember: boolean;
}

const lifetimeMs = 5 * 60_000;
/** After so many wrong attempts the sign-in starts from the beginning. */
const maxAttempts = 5;

const hashOf = (keys: Keys, ticket: string) => keys.mac('ticket', ticket);

/** Returns a new ticket; only its keyed hash is stored. All functions here need an unauthenticated transaction. */
export async function createTicket(
  tx: Tx,
  keys: Keys,
  { userId, action, remember }: Ticket,
  now: string,
): Promise<string> {
  const ticket = randomBytes(24).toString('base64url');
  await tx
    .insertInto('sign_in_tickets')
    .values({
      ticket_hash: hashOf(keys, ticket),
      user_id: userId,
      action,
      remember,
      expires_at: new Date(Date.parse(now) + lifetimeMs).toISOString(),
    })
    .execute();
  return ticket;
}

/** Returns a valid ticket, or null. With 'lock', it is locked until the transaction ends. */
export async function readTicket(
  tx: Tx,
  keys: Keys,
  { ticket, now, mode }: { ticket: string; now: string; mode: 'read' | 'lock' },
): Promise<Ticket | null> {
  const row = await tx
    .selectFrom('sign_in_tickets')
    .select(['user_id', 'action', 'remember'])
    .where('ticket_hash', '=', hashOf(keys, ticket))
    .where('expires_at', '>', now)
    .where('attempts', '<', maxAttempts)
    .$if(mode === 'lock', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ? { userId: row.user_id, action: row.action, remember: row.remember } : null;
}

/** Counts a wrong attempt with a ticket. */
export async function countAttempt(tx: Tx, keys: Keys, ticket: string): Promise<void> {
  await tx
    .updateTable('sign_in_tickets')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('ticket_hash', '=', hashOf(keys, ticket))
    .execute();
}

/** Uses up a ticket. */
export async function deleteTicket(tx: Tx, keys: Keys, ticket: string): Promise<void> {
  await tx.deleteFrom('sign_in_tickets').where('ticket_hash', '=', hashOf(keys, ticket)).execute();
}
