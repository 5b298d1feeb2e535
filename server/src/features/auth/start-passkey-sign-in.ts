import { startPasskeySignIn as call } from '@roomside/contract/auth/passkey-calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { assertionOptions } from '../second-factor/passkeys.ts';
import { readTicket } from '../second-factor/tickets.ts';

/** A challenge for a passkey: as the second step of a ticket's user, or as the only step of anyone. */
export const startPasskeySignIn = forAnyone(call, async ({ context, body, now, address }) => {
  // Each challenge is a row.
  await throttle(context, [{ scope: 'passkeys', subject: networksOf(address).customer }]);
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { ticket } = body;
    const known = ticket === undefined ? null : await readTicket(tx, context.keys, { ticket, now, mode: 'read' });
    if (ticket !== undefined && !known) throw new Refusal('sign-in-expired');
    return { options: { ...(await assertionOptions(tx, context, { userId: known?.userId ?? null, now })) } };
  });
});
