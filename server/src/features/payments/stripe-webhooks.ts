import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Stripe } from 'stripe';
import type { Context } from '../../platform/context.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { openText, sealedPlaces } from '../../platform/sealed-text.ts';
import type { ChargeId } from '../charges/charge-rows.ts';
import { readAccount } from './accounts.ts';
import { followCharge } from './follow-charge.ts';
import type { Account } from './processors.ts';
import { settleCharge } from './settle-charge.ts';
import { webhookPath } from './stripe-events.ts';

/** A signature older than this is not accepted, seconds. */
const toleranceSeconds = 300;

/**
 * Stripe's messages. They say only that something has changed: what is recorded is asked of Stripe itself. So a message that comes twice,
 * late or in another order does no harm.
 */
export function registerStripeWebhooks(app: FastifyInstance, context: Context): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The signature is over the bytes.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(webhookPath, async (request, reply) => {
      const { companyUid } = request.params as { companyUid: string };
      const found = await readSecrets(context, normalizeUid(companyUid));
      if (!found) throw notFound();
      const { default: Stripe } = await import('stripe');
      const signature = request.headers['stripe-signature'];
      let event: Stripe.Event;
      try {
        event = Stripe.webhooks.constructEvent(
          request.body as Buffer,
          signature ?? '',
          found.secret,
          toleranceSeconds,
          undefined,
          context.clock.now(),
        );
      } catch {
        throw new Refusal('malformed');
      }
      await followEvent(context, found, event);
      return reply.code(204).send();
    });
  });
}

interface Found {
  readonly companyId: number;
  readonly account: Account;
  readonly secret: string;
}

async function readSecrets(context: Context, companyUid: string): Promise<Found | null> {
  const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number | null }>`select company_of_webhook(${companyUid}) as company_id`.execute(tx),
  );
  const companyId = rows[0]?.company_id;
  if (!companyId) return null;
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const account = await readAccount(tx, context, companyId);
    const { payment_webhook } = await tx
      .selectFrom('companies')
      .select('payment_webhook')
      .where('company_id', '=', companyId)
      .executeTakeFirstOrThrow();
    const secret = await openText(tx, context.keys, companyId, payment_webhook, sealedPlaces.paymentWebhook(companyId));
    return account?.processor === 'stripe' ? { companyId, account, secret } : null;
  });
}

async function followEvent(context: Context, found: Found, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const id = await findCharge(context, found, { key: event.data.object.metadata['charge_key'] ?? '' });
      if (id) await settleCharge(context, id);
      return;
    }
    case 'charge.refunded':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.closed': {
      const { payment_intent: intent } = event.data.object;
      const externalId = typeof intent === 'string' ? intent : (intent?.id ?? '');
      const id = await findCharge(context, found, { externalId });
      if (id) await followCharge(context, found.account, id);
      return;
    }
    default:
  }
}

function findCharge(
  context: Context,
  { companyId }: Found,
  by: { key: string } | { externalId: string },
): Promise<ChargeId | null> {
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const row = await tx
      .selectFrom('charges')
      .select('charge_id')
      .where('company_id', '=', companyId)
      .where('processor', '=', 'stripe')
      .$call((query) =>
        'key' in by ? query.where('charge_key', '=', by.key) : query.where('external_id', '=', by.externalId),
      )
      .where('charge_key', '<>', '')
      .executeTakeFirst();
    return row ? { companyId, chargeId: row.charge_id } : null;
  });
}
