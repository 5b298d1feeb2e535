import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** One request as it arrived. */
interface Asked {
  method: string;
  path: string;
  params: Record<string, string>;
  key: string | undefined;
}

interface Intent {
  id: string;
  status: string;
  amount: number;
  currency: string;
  created: number;
  card: string;
  key: string;
  refunded: boolean;
  /** Its refunds, oldest first. */
  refunds: { id: string; status: string }[];
  failure: string;
}

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

interface Shape {
  readonly known: ReadonlySet<string>;
  readonly required: readonly string[];
}

const types = path.join(import.meta.dirname, '../../node_modules/stripe/esm');
const typesOf = (file: string) => fs.readFileSync(path.join(types, 'resources', `${file}.d.ts`), 'utf8');

/** The parameters that a request accepts and requires, read from the package's types, which are generated from Stripe's OpenAPI description. */
function shapeOf(file: string, name: string): Shape {
  const text = name === 'PaginationParams' ? fs.readFileSync(path.join(types, 'shared.d.ts'), 'utf8') : typesOf(file);
  const found = new RegExp(`export interface ${name}(?: extends ([^{ ]*))? \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text);
  if (!found) throw new Error(`The package has no ${name}.`);
  const [, base, body = ''] = found;
  const fields = [...body.matchAll(/^ {4}([a-z_]+)(\??):/gm)];
  const pages = base === 'PaginationParams' ? shapeOf(file, base).known : [];
  return {
    known: new Set([...fields.map(([, field = '']) => field), ...pages]),
    required: fields.filter(([, , optional]) => optional === '').map(([, field = '']) => field),
  };
}

/** By the routes that Roomside uses. */
const shapes: Readonly<Record<string, Shape>> = {
  'GET balance': shapeOf('Balance', 'BalanceRetrieveParams'),
  'POST payment_intents': shapeOf('PaymentIntents', 'PaymentIntentCreateParams'),
  'GET payment_intents': shapeOf('PaymentIntents', 'PaymentIntentListParams'),
  'GET payment_intents/search': shapeOf('PaymentIntents', 'PaymentIntentSearchParams'),
  'GET payment_intents/:id': shapeOf('PaymentIntents', 'PaymentIntentRetrieveParams'),
  'POST payment_intents/:id/cancel': shapeOf('PaymentIntents', 'PaymentIntentCancelParams'),
  'POST refunds': shapeOf('Refunds', 'RefundCreateParams'),
  'GET refunds': shapeOf('Refunds', 'RefundListParams'),
  'GET refunds/:id': shapeOf('Refunds', 'RefundRetrieveParams'),
  'GET disputes': shapeOf('Disputes', 'DisputeListParams'),
  'POST customers': shapeOf('Customers', 'CustomerCreateParams'),
  'DELETE customers/:id': shapeOf('Customers', 'CustomerDeleteParams'),
  'POST payment_methods/:id/attach': shapeOf('PaymentMethods', 'PaymentMethodAttachParams'),
  'GET webhook_endpoints': shapeOf('WebhookEndpoints', 'WebhookEndpointListParams'),
  'POST webhook_endpoints': shapeOf('WebhookEndpoints', 'WebhookEndpointCreateParams'),
  'DELETE webhook_endpoints/:id': shapeOf('WebhookEndpoints', 'WebhookEndpointDeleteParams'),
};

/** The events that a webhook endpoint can be created for. */
const events = new Set(
  [...(/type EnabledEvent = ([^;]+);/.exec(typesOf('WebhookEndpoints'))?.[1] ?? '').matchAll(/'([a-z_.]+)'/g)].map(
    ([, event]) => event,
  ),
);

const cards: Record<string, string> = {
  pm_card_paid: '',
  pm_card_declined: 'card_declined',
  pm_card_insufficient: 'insufficient_funds',
  pm_card_expired: 'expired_card',
  pm_card_code: 'incorrect_cvc',
  pm_card_error: 'processing_error',
};

/**
 * Stripe's API at the network's edge, as far as Roomside uses it: keys, idempotency, charges with 3-D Secure, refunds, disputes, webhook
 * endpoints. Requests with unknown or missing parameters are refused and remembered in `wrong`.
 */
export async function startStripe({ secret = 'sk_test_right' } = {}) {
  const intents = new Map<string, Intent>();
  const answers = new Map<string, { asked: string; status: number; body: unknown }>();
  const endpoints = new Map<string, { id: string; url: string; secret: string }>();
  const disputes = new Map<string, string>();
  /** The card of each customer; '' before one was attached. */
  const customers = new Map<string, string>();
  const requests: Asked[] = [];
  const wrong: string[] = [];
  /** How many answers are lost after their work was done. */
  let lose = 0;
  /** Accounts in some countries have no search. */
  let hasSearch = true;
  /** How many refunds are refused, as for an account without balance. */
  let refuse = 0;
  /** Runs before a route is answered, which waits for it. */
  let before: { path: string; run: () => Promise<void> } | null = null;
  /** Runs between the answer to a GET and its way back. */
  let after: { path: string; run: () => Promise<void> } | null = null;

  const intentBody = (intent: Intent) => ({
    id: intent.id,
    object: 'payment_intent',
    status: intent.status,
    amount: intent.amount,
    currency: intent.currency,
    created: intent.created,
    client_secret: `${intent.id}_secret_x`,
    metadata: { charge_key: intent.key },
    payment_method: { id: intent.card, object: 'payment_method', card: { brand: 'visa', last4: '4242' } },
    last_payment_error: intent.failure ? { code: intent.failure } : null,
    latest_charge: { id: `ch_${intent.id}`, object: 'charge', refunded: intent.refunded },
  });
  const fault = (status: number, error: object) => ({ status, body: { error } });
  const invalid = (message: string, code?: string) => {
    if (!code) wrong.push(message);
    return fault(400, { type: 'invalid_request_error', message, ...(code && { code }) });
  };
  /** What a request has too much or too little; null: nothing. */
  const wrongOf = (params: Record<string, string>, { known, required }: Shape): string | null => {
    const names = new Set(Object.keys(params).map((name) => name.replace(/\[.*$/, '')));
    const unknown = [...names].filter((name) => !known.has(name));
    const missing = required.filter((name) => !names.has(name));
    return unknown.length + missing.length > 0 ? `unknown ${unknown.join()} missing ${missing.join()}` : null;
  };

  function createIntent(params: Record<string, string>) {
    if (!/^\d+$/.test(params['amount'] ?? '')) return invalid('amount is not a whole number of cents');
    const card = params['payment_method'] ?? '';
    const intent: Intent = {
      id: newId('pi'),
      status: 'succeeded',
      amount: Number(params['amount']),
      currency: params['currency'] ?? '',
      created: Math.floor(Date.now() / 1000),
      card,
      key: params['metadata[charge_key]'] ?? '',
      refunded: false,
      refunds: [],
      failure: '',
    };
    intents.set(intent.id, intent);
    if (card.startsWith('pm_kept_') && customers.get(params['customer'] ?? '') !== card) {
      intents.delete(intent.id);
      return fault(400, { type: 'invalid_request_error', code: 'resource_missing', message: 'No such customer' });
    }
    const made = card.replace('pm_kept_', 'pm_');
    if (made === 'pm_card_confirm') {
      if (params['off_session'] !== 'true') intent.status = 'requires_action';
      else intent.failure = 'authentication_required';
    } else if (cards[made] === undefined) {
      intents.delete(intent.id);
      return fault(400, { type: 'invalid_request_error', code: 'resource_missing', message: 'No such PaymentMethod' });
    } else intent.failure = cards[made] ?? '';
    if (!intent.failure) return { status: 200, body: intentBody(intent) };
    intent.status = 'requires_payment_method';
    const isDecline = ['card_declined', 'insufficient_funds'].includes(intent.failure);
    return fault(402, {
      type: 'card_error',
      code: isDecline ? 'card_declined' : intent.failure,
      ...(isDecline && { decline_code: intent.failure }),
      payment_intent: intentBody(intent),
    });
  }

  function refund(params: Record<string, string>) {
    const intent = intents.get(params['payment_intent'] ?? '');
    if (intent?.status !== 'succeeded') return invalid('nothing to refund', 'charge_not_refundable');
    if (refuse > 0) {
      refuse -= 1;
      return invalid('Insufficient funds in your account', 'insufficient_funds');
    }
    if (intent.refunded) return invalid('refunded before', 'charge_already_refunded');
    intent.refunded = true;
    const made = { id: newId('re'), status: 'succeeded' };
    intent.refunds.push(made);
    return { status: 200, body: { ...made, object: 'refund' } };
  }

  function answer({ method, path: place, params }: Asked): { status: number; body: unknown } {
    const [, , resource = '', id = '', action] = place.split('/');
    const route = `${method} ${resource}${id && (id === 'search' ? '/search' : '/:id')}${action ? `/${action}` : ''}`;
    const shape = shapes[route];
    const problem = shape ? wrongOf(params, shape) : 'is not used';
    if (problem) return invalid(`${route}: ${problem}`);
    const intent = intents.get(id);
    switch (route) {
      case 'GET balance':
        return { status: 200, body: { object: 'balance', available: [] } };
      case 'POST payment_intents':
        return createIntent(params);
      case 'GET payment_intents': {
        const [from, to] = [
          Number(params['created[gte]'] ?? 0),
          Number(params['created[lte]'] ?? Number.MAX_SAFE_INTEGER),
        ];
        const data = [...intents.values()].filter(({ created }) => created >= from && created <= to).map(intentBody);
        return { status: 200, body: { object: 'list', has_more: false, data } };
      }
      case 'GET payment_intents/search': {
        if (!hasSearch) return invalid('no search in this country', 'search_unavailable');
        const [, key, status] =
          /^metadata\["charge_key"\]:"([^"]+)" AND status:"(\w+)"$/.exec(params['query'] ?? '') ?? [];
        if (!key) return invalid('no such query');
        const data = [...intents.values()].filter((one) => one.key === key && one.status === status).map(intentBody);
        return { status: 200, body: { object: 'search_result', has_more: false, next_page: null, data } };
      }
      case 'GET payment_intents/:id':
        return intent ? { status: 200, body: intentBody(intent) } : invalid('no such intent', 'resource_missing');
      case 'POST payment_intents/:id/cancel':
        if (!intent || intent.status === 'succeeded')
          return invalid('cannot cancel', 'payment_intent_unexpected_state');
        intent.status = 'canceled';
        return { status: 200, body: intentBody(intent) };
      case 'POST refunds':
        return refund(params);
      case 'GET refunds': {
        const { refunds = [] } = intents.get(params['payment_intent'] ?? '') ?? {};
        const data = refunds.map((one) => ({ ...one, object: 'refund' }));
        return { status: 200, body: { object: 'list', has_more: false, data } };
      }
      case 'GET refunds/:id': {
        const found = [...intents.values()].flatMap(({ refunds }) => refunds).find((one) => one.id === id);
        return found
          ? { status: 200, body: { ...found, object: 'refund' } }
          : invalid('no such refund', 'resource_missing');
      }
      case 'GET disputes': {
        const status = disputes.get(params['payment_intent'] ?? '');
        const data = status ? [{ id: 'dp_1', object: 'dispute', status }] : [];
        return { status: 200, body: { object: 'list', has_more: false, data } };
      }
      case 'POST customers': {
        const customer = newId('cus');
        customers.set(customer, '');
        return { status: 200, body: { id: customer, object: 'customer' } };
      }
      case 'DELETE customers/:id':
        return customers.delete(id)
          ? { status: 200, body: { id, object: 'customer', deleted: true } }
          : invalid('no such customer', 'resource_missing');
      case 'POST payment_methods/:id/attach': {
        const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 };
        const kept = id.replace('pm_', 'pm_kept_');
        customers.set(params['customer'] ?? '', kept);
        return { status: 200, body: { id: kept, object: 'payment_method', card } };
      }
      case 'GET webhook_endpoints':
        return { status: 200, body: { object: 'list', has_more: false, data: [...endpoints.values()] } };
      case 'POST webhook_endpoints': {
        const unknown = Object.entries(params).filter(
          ([name, event]) => name.startsWith('enabled_events[') && !events.has(event),
        );
        if (unknown.length > 0) return invalid(`unknown events ${unknown.join()}`);
        const made = { id: newId('we'), url: params['url'] ?? '', secret: newId('whsec') };
        endpoints.set(made.id, made);
        return { status: 200, body: { object: 'webhook_endpoint', ...made } };
      }
      case 'DELETE webhook_endpoints/:id':
        endpoints.delete(id);
        return { status: 200, body: { id, object: 'webhook_endpoint', deleted: true } };
      default:
        return invalid(`no route ${route}`);
    }
  }

  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    const end = async () => {
      const url = new URL(request.url ?? '', 'http://stripe');
      const params = Object.fromEntries([...url.searchParams, ...new URLSearchParams(text)]);
      const key = request.headers['idempotency-key'] as string | undefined;
      const asked: Asked = { method: request.method ?? '', path: url.pathname, params, key };
      requests.push(asked);
      const reply = ({ status, body }: { status: number; body: unknown }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      if (request.headers.authorization !== `Bearer ${secret}`)
        return reply(fault(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' }));
      if (before && asked.method === 'POST' && before.path === asked.path) {
        const { run } = before;
        before = null;
        await run();
      }
      const known = key === undefined ? undefined : answers.get(key);
      if (known && known.asked !== text)
        return reply(fault(400, { type: 'idempotency_error', message: 'other parameters' }));
      const given = known ?? answer(asked);
      if (key !== undefined) answers.set(key, { asked: text, ...given });
      if (after && asked.method === 'GET' && after.path === asked.path) {
        const { run } = after;
        after = null;
        await run();
      }
      if (lose > 0 && asked.method === 'POST') {
        lose -= 1;
        request.socket.destroy();
        return;
      }
      reply(given);
    };
    request.on('end', () => void end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    intents,
    endpoints,
    disputes,
    customers,
    requests,
    wrong,
    loseAnswers: (count: number) => {
      lose = count;
    },
    allowSearch: (isAllowed: boolean) => {
      hasSearch = isAllowed;
    },
    /** Stripe forgets idempotency keys after a day. */
    forgetKeys: () => answers.clear(),
    refuseRefunds: (count: number) => {
      refuse = count;
    },
    /** Runs `run` before the next POST of this path is answered. */
    runBefore: (place: string, run: () => Promise<void>) => {
      before = { path: place, run };
    },
    /** Runs `run` when the next GET of this path has its answer, and before that is sent. */
    runAfter: (place: string, run: () => Promise<void>) => {
      after = { path: place, run };
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
