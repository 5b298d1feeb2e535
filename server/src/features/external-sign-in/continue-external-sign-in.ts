import { continueExternalSignIn as call } from '@roomside/contract/external-sign-in/calls.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { takeTicketCookie } from '../auth/cookies.ts';
import { requireOwnPage } from '../auth/own-page.ts';
import { secondStepMethodsOf } from '../second-factor/factors.ts';
import { readTicket } from '../second-factor/tickets.ts';

/** Hands the ticket of the cookie to the page, once. */
export const continueExternalSignIn = forAnyone(call, async ({ context, request, reply, now }) => {
  requireOwnPage(context, request);
  const ticket = takeTicketCookie(context, request, reply);
  if (ticket === undefined) throw new Refusal('sign-in-expired');
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const known = await readTicket(tx, context.keys, { ticket, now, mode: 'read' });
    if (!known) throw new Refusal('sign-in-expired');
    return { signedIn: false as const, ticket, methods: await secondStepMethodsOf(tx, known.userId) };
  });
});
