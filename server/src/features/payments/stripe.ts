import { toCents } from '@roomside/contract/money.ts';
import type { CardFailure } from '@roomside/contract/payments/processors.ts';
import Stripe from 'stripe';
import type { Context } from '../../platform/context.ts';
import {
  type Account,
  type ChargeOutcome,
  type ChargeRequest,
  type KeptCard,
  NoAnswer,
  type Processor,
  WrongKeys,
} from './processors.ts';
import { webhookEvents, webhookUrl } from './stripe-events.ts';

type Parts = Pick<Context, 'clock' | 'settings' | 'publicUrl'>;
type Intent = Stripe.PaymentIntent;

/** A request without a response ends after this time, ms. The same key is asked again later. */
const timeoutMs = 20_000;
/** Stripe keeps idempotency keys for this time, h. */
const keyHours = 24;
/** A charge that is nearly as old as its key is looked for instead of being asked for again, ms. */
const keyMs = (keyHours - 4) * 3_600_000;

/** Stripe's words for why a card was not charged (docs.stripe.com/declines/codes). */
const failures: Readonly<Record<string, CardFailure>> = {
  insufficient_funds: 'card-insufficient-funds',
  expired_card: 'card-expired',
  incorrect_cvc: 'card-code-wrong',
  invalid_cvc: 'card-code-wrong',
  authentication_required: 'card-not-confirmed',
  payment_intent_authentication_failure: 'card-not-confirmed',
  processing_error: 'card-error',
  card_declined: 'card-declined',
};

function failureOf(error: { decline_code?: string; code?: string } | null | undefined): CardFailure {
  return failures[error?.decline_code ?? ''] ?? failures[error?.code ?? ''] ?? 'card-declined';
}

/** Opens the API of an account. */
export function openStripe({ settings }: Pick<Context, 'settings'>, account: Pick<Account, 'password'>): Stripe {
  const url = settings.STRIPE_URL === null ? null : new URL(settings.STRIPE_URL);
  return new Stripe(account.password, {
    maxNetworkRetries: 1,
    timeout: timeoutMs,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      protocol: url.protocol === 'https:' ? 'https' : 'http',
    }),
  });
}

/** Runs a request. Failures of the way and of Stripe itself become {@link NoAnswer}: what was asked may have been done. */
async function ask<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (
      error instanceof Stripe.errors.StripeAuthenticationError ||
      error instanceof Stripe.errors.StripePermissionError
    )
      throw new WrongKeys('Stripe refuses the keys', { cause: error });
    const isRefusal =
      error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
    throw isRefusal ? error : new NoAnswer('Stripe did not answer', { cause: error });
  }
}

function outcomeOf(intent: Intent): ChargeOutcome {
  const { id: externalId } = intent;
  switch (intent.status) {
    case 'succeeded': {
      const { payment_method: method } = intent;
      const card = typeof method === 'object' ? method?.card : null;
      return { is: 'paid', externalId, card: { brand: card?.brand ?? '', last4: card?.last4 ?? '' } };
    }
    case 'requires_action':
      return { is: 'action', externalId, actionToken: intent.client_secret ?? '' };
    case 'processing':
      throw new NoAnswer('the charge is being processed');
    default:
      return { is: 'failed', externalId, failure: failureOf(intent.last_payment_error) };
  }
}

/** A kept card is named by its customer and its own id. */
function methodOf({ method, isAttended }: ChargeRequest) {
  const [customer, payment_method] = method.split('/');
  return payment_method
    ? { customer: customer ?? '', payment_method, ...(!isAttended && { off_session: true }) }
    : { payment_method: method };
}

const notCharged = { is: 'failed', externalId: '', failure: 'card-error' } as const;

/** The outcome of a charge that was found by its key. A charge of another amount does not pay this one, and has to be looked at by people. */
const outcomeOfKey = (intent: Intent, { amount }: ChargeRequest): ChargeOutcome =>
  intent.status === 'succeeded' && intent.amount !== toCents(amount) ? notCharged : outcomeOf(intent);

/** Another charge had the same key. A simultaneous request for the same charge is a conflict (409) instead. */
const isKeyReused = ({ cause }: NoAnswer): boolean =>
  cause instanceof Stripe.errors.StripeIdempotencyError && cause.statusCode === 400;

const expand = ['payment_method'];

/** A refund that has returned nothing, refused immediately or by the bank days later. */
const hasFailed = ({ status }: Stripe.Refund): boolean => status === 'failed' || status === 'canceled';

/** A dispute that is over in the clinic's favor. */
const won: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented']);

/** Stripe (decision 064). Amounts are in cents: companies have currencies with two places. */
export function createStripe(parts: Parts): Processor {
  const open = (account: Account) => openStripe(parts, account);

  const retrieve = async (account: Account, externalId: string): Promise<ChargeOutcome> => {
    try {
      return outcomeOf(await ask(() => open(account).paymentIntents.retrieve(externalId, { expand })));
    } catch (error) {
      // The clinic has deleted its test data at Stripe. Live payments cannot be deleted.
      const isMissing = error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
      if (isMissing && account.password.includes('_test_')) return { is: 'failed', externalId, failure: 'card-error' };
      throw error;
    }
  };

  /** What was charged by this key, in the list of the account. `hoursBefore`: how long before the charge was created it may have been. */
  async function lookFor(account: Account, request: ChargeRequest, hoursBefore: number): Promise<ChargeOutcome> {
    const at = Math.floor(Date.parse(request.createdAt) / 1000);
    const created = { gte: at - hoursBefore * 3_600, lte: at + 48 * 3_600 };
    const stripe = open(account);
    const found = await ask(async () => {
      for await (const intent of stripe.paymentIntents.list({ created, limit: 100, expand: ['data.payment_method'] })) {
        if (intent.metadata['charge_key'] === request.key) return intent;
      }
      return null;
    });
    return found ? outcomeOfKey(found, request) : notCharged;
  }

  /** A payment by this key that a restored database does not have. Stripe's search finds it after about a minute. */
  async function findPaid(account: Account, { key }: ChargeRequest): Promise<Intent | undefined> {
    const query = `metadata["charge_key"]:"${key}" AND status:"succeeded"`;
    const search = { query, limit: 1, expand: ['data.payment_method'] };
    try {
      return (await ask(() => open(account).paymentIntents.search(search))).data[0];
    } catch (error) {
      // Accounts in some countries have no search.
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return undefined;
      throw error;
    }
  }

  return {
    async charge(account, request) {
      if (parts.clock.now() - Date.parse(request.createdAt) > keyMs) return lookFor(account, request, 1);
      // No one is there who would notice that it was charged before.
      const earlier = request.isAttended ? undefined : await findPaid(account, request);
      if (earlier) return outcomeOfKey(earlier, request);
      try {
        const intent = await ask(() =>
          open(account).paymentIntents.create(
            {
              amount: toCents(request.amount),
              currency: request.currency.toLowerCase(),
              ...methodOf(request),
              allowed_payment_method_types: ['card'],
              confirm: true,
              metadata: { charge_key: request.key },
              expand,
            },
            { idempotencyKey: request.key },
          ),
        );
        return outcomeOf(intent);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeCardError)
          return { is: 'failed', externalId: error.payment_intent?.id ?? '', failure: failureOf(error) };
        // The database was restored to a state before that charge. If it was not paid, the next one has another key.
        if (error instanceof NoAnswer && isKeyReused(error)) {
          const earlier = await lookFor(account, request, 2 * keyHours);
          return earlier.is === 'failed' ? notCharged : earlier;
        }
        // A token that was used before, or an amount below the least one.
        if (error instanceof Stripe.errors.StripeInvalidRequestError) return notCharged;
        throw error;
      }
    },
    find: (account, { externalId }) => retrieve(account, externalId),
    async cancel(account, { externalId }) {
      try {
        return outcomeOf(await ask(() => open(account).paymentIntents.cancel(externalId)));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        // It was paid or cancelled meanwhile.
        return retrieve(account, externalId);
      }
    },
    async refund(account, { key, externalId, refundAskedAt }) {
      // Stripe repeats a stored refusal for the same key. A second refund of the same charge is refused whatever its key is.
      const idempotencyKey = `${key}-refund-${refundAskedAt === null ? '' : Date.parse(refundAskedAt)}`;
      try {
        const { refunds } = open(account);
        const { id } = await ask(() => refunds.create({ payment_intent: externalId }, { idempotencyKey }));
        // For a repeated key Stripe repeats its first answer, which may be outdated.
        return !hasFailed(await ask(() => refunds.retrieve(id)));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        return error.code === 'charge_already_refunded';
      }
    },
    async inspect(account, { externalId }) {
      const stripe = open(account);
      const intent = await ask(() => stripe.paymentIntents.retrieve(externalId, { expand: ['latest_charge'] }));
      const refunds = await ask(() => stripe.refunds.list({ payment_intent: externalId, limit: 100 }));
      const disputes = await ask(() => stripe.disputes.list({ payment_intent: externalId, limit: 10 }));
      const isReturned = refunds.data.length > 0 && refunds.data.every(hasFailed);
      const { latest_charge: charge } = intent;
      return {
        isReturned,
        isRefunded: !isReturned && typeof charge === 'object' && charge?.refunded === true,
        isDisputed: disputes.data.some(({ status }) => !won.has(status)),
      };
    },
    async keepCard(account, token, owner): Promise<KeptCard | { failure: CardFailure }> {
      const stripe = open(account);
      try {
        const customer = await ask(() => stripe.customers.create({ metadata: { owner } }));
        const { card, id } = await ask(() => stripe.paymentMethods.attach(token, { customer: customer.id }));
        const words = { brand: card?.brand ?? '', last4: card?.last4 ?? '' };
        return {
          reference: `${customer.id}/${id}`,
          ...words,
          month: card?.exp_month ?? 1,
          year: card?.exp_year ?? 2000,
        };
      } catch (error) {
        if (error instanceof Stripe.errors.StripeCardError) return { failure: failureOf(error) };
        if (error instanceof Stripe.errors.StripeInvalidRequestError) return { failure: 'card-error' };
        throw error;
      }
    },
    async dropCard(account, reference) {
      const [customer = ''] = reference.split('/');
      try {
        // Each customer has one card, which is deleted with it.
        await ask(() => open(account).customers.del(customer));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      }
    },
    async listen(account, companyUid) {
      const endpoints = open(account).webhookEndpoints;
      const url = webhookUrl(parts.publicUrl, companyUid);
      const end = async (which: (id: string) => boolean) => {
        try {
          const { data } = await ask(() => endpoints.list({ limit: 100 }));
          for (const one of data.filter((endpoint) => endpoint.url === url && which(endpoint.id)))
            await ask(() => endpoints.del(one.id));
        } catch (error) {
          // It was deleted meanwhile.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        }
      };
      try {
        const made = await ask(() => endpoints.create({ url, enabled_events: [...webhookEvents] }));
        return {
          secret: made.secret ?? '',
          keep: () => end((id) => id !== made.id),
          drop: () => end((id) => id === made.id),
        };
      } catch (error) {
        // Stripe accepts public addresses only, and a restricted key may not do this.
        if (error instanceof Stripe.errors.StripeInvalidRequestError || error instanceof WrongKeys)
          return { secret: '', keep: async () => {}, drop: async () => {} };
        throw error;
      }
    },
    async test(account) {
      // Both keys say whether they are for tests: 'pk_test_…' and 'sk_test_…' or a restricted 'rk_test_…'.
      const modeOf = (key: string) => /^[psr]k_(test|live)_/.exec(key)?.[1];
      if (!account.user.startsWith('pk_') || modeOf(account.user) !== modeOf(account.password))
        throw new WrongKeys('the keys do not belong together');
      await ask(() => open(account).balance.retrieve());
    },
  };
}
