import { randomBytes } from 'node:crypto';
import type { CardFailure } from '@roomside/contract/payments/processors.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { ChargeId } from '../charges/charge-rows.ts';
import type { ChargeOutcome, ChargeRequest, KeptCard, Processor } from './processors.ts';
import { NoAnswer } from './processors.ts';

type Parts = Pick<Context, 'db' | 'clock'>;

/** What a test card does, by the word in its token. */
const outcomes = {
  paid: 'paid',
  slow: 'paid',
  silent: 'paid',
  norefund: 'paid',
  comeback: 'paid',
  dispute: 'paid',
  confirm: 'action',
  declined: 'card-declined',
  insufficient: 'card-insufficient-funds',
  expired: 'card-expired',
  code: 'card-code-wrong',
  error: 'card-error',
} as const satisfies Record<string, 'paid' | 'action' | CardFailure>;
type Outcome = keyof typeof outcomes;
const isOutcome = (word: string): word is Outcome => Object.hasOwn(outcomes, word);

/** How long the card `slow` takes, ms. */
const slowMs = 5_000;
/** After this time the card `dispute` is disputed, and the refund of the card `comeback` comes back, ms. */
const laterMs = 3_000;
/** How many answers of the card `silent` are lost. */
const lostAnswers = 1;

/** The token that the sandbox's widget makes: outcome, brand, last four digits, expiry, and a random part. */
const tokenPattern = /^sbx_([a-z]+)_([a-z]+)_(\d{4})_(0[1-9]|1[0-2])(\d{4})_[0-9a-f]{16}$/;

interface TestCard {
  readonly outcome: Outcome;
  readonly brand: string;
  readonly last4: string;
  readonly month: number;
  readonly year: number;
}

/** Reads a token, or a kept card, which is a token with another beginning. */
function readCard(method: string): TestCard | null {
  const [, word, brand, last4, month, year] = tokenPattern.exec(method.replace(/^kept_/, 'sbx_')) ?? [];
  if (!word || !brand || !last4 || !isOutcome(word)) return null;
  return { outcome: word, brand, last4, month: Number(month), year: Number(year) };
}

/** The book of the sandbox stands for what a processor has outside: its transactions are separate from those of the product. */
const inBook = <T>({ db }: Parts, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.open({ kind: 'unauthenticated' }, work);

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

interface BookRow {
  external_id: string;
  state: string;
  failure: string;
  card_brand: string;
  card_last4: string;
  action_token: string;
}

function outcomeOf(row: BookRow): ChargeOutcome {
  const { external_id: externalId } = row;
  if (row.state === 'action') return { is: 'action', externalId, actionToken: row.action_token };
  if (row.state === 'failed') return { is: 'failed', externalId, failure: row.failure as CardFailure };
  return { is: 'paid', externalId, card: { brand: row.card_brand, last4: row.card_last4 } };
}

/** The processor that is built in: test cards only, no money moves (decisions of money). */
export function createSandbox(parts: Parts): Processor {
  const find = (key: string) =>
    inBook(parts, (tx) =>
      tx.selectFrom('sandbox_charges').selectAll().where('charge_key', '=', key).executeTakeFirst(),
    );

  async function charge({ user }: { user: string }, request: ChargeRequest): Promise<ChargeOutcome> {
    const card = readCard(request.method);
    if (!card) return { is: 'failed', externalId: '', failure: 'card-error' };
    const what = outcomes[card.outcome];
    const state = what === 'paid' || what === 'action' ? what : 'failed';
    const row = await inBook(parts, (tx) =>
      tx
        .insertInto('sandbox_charges')
        .values({
          charge_key: request.key,
          external_id: newId('sbxch'),
          account: user,
          amount: request.amount,
          currency: request.currency,
          outcome: card.outcome,
          state: state === 'action' && !request.isAttended ? 'failed' : state,
          failure: state === 'failed' ? what : state === 'action' && !request.isAttended ? 'card-not-confirmed' : '',
          card_brand: card.brand,
          card_last4: card.last4,
          action_token: state === 'action' && request.isAttended ? newId('sbxact') : '',
          created_at: isoNow(parts.clock),
        })
        // The same key is the same charge.
        .onConflict((conflict) =>
          conflict.column('charge_key').doUpdateSet((row) => ({ asked: row('sandbox_charges.asked', '+', 1) })),
        )
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    if (card.outcome === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
    if (card.outcome === 'silent' && row.asked <= lostAnswers)
      throw new NoAnswer('the answer of this test card is lost');
    return outcomeOf(row);
  }

  return {
    charge,
    async find(_account, { key }) {
      const row = await find(key);
      return row ? outcomeOf(row) : { is: 'failed', externalId: '', failure: 'card-error' };
    },
    async cancel(_account, { key }) {
      await inBook(parts, (tx) =>
        tx
          .updateTable('sandbox_charges')
          .set({ state: 'failed', failure: 'card-not-confirmed', action_token: '' })
          .where('charge_key', '=', key)
          .where('state', '=', 'action')
          .execute(),
      );
      const row = await find(key);
      return row ? outcomeOf(row) : { is: 'failed', externalId: '', failure: 'card-error' };
    },
    async refund(_account, { key }) {
      return inBook(parts, async (tx) => {
        const row = await tx
          .selectFrom('sandbox_charges')
          .select(['state', 'outcome'])
          .where('charge_key', '=', key)
          .forUpdate()
          .executeTakeFirst();
        if (row?.state === 'refunded' && row.outcome !== 'comeback') return true;
        if (!row || !['paid', 'refunded'].includes(row.state) || row.outcome === 'norefund') return false;
        await tx
          .updateTable('sandbox_charges')
          .set({ state: 'refunded', refunded_at: isoNow(parts.clock) })
          .where('charge_key', '=', key)
          .execute();
        return true;
      });
    },
    async inspect(_account, { key }) {
      const row = await inBook(parts, (tx) =>
        tx
          .selectFrom('sandbox_charges')
          .select(['state', 'outcome', 'created_at', 'refunded_at'])
          .where('charge_key', '=', key)
          .executeTakeFirst(),
      );
      const isOver = (at: string | null) => at !== null && parts.clock.now() - Date.parse(at) >= laterMs;
      const isReturned = row?.state === 'refunded' && row.outcome === 'comeback' && isOver(row.refunded_at);
      return {
        isReturned,
        isRefunded: row?.state === 'refunded' && !isReturned,
        isDisputed: row?.state === 'paid' && row.outcome === 'dispute' && isOver(row.created_at),
      };
    },
    keepCard: async (_account, token): Promise<KeptCard | { failure: CardFailure }> => {
      const card = readCard(token);
      if (!card) return { failure: 'card-error' };
      const { outcome: _, ...words } = card;
      return { reference: token.replace(/^sbx_/, 'kept_'), ...words };
    },
    // A kept card is its token: the sandbox has nothing to delete.
    dropCard: async () => {},
    listen: async () => ({ secret: '', keep: async () => {}, drop: async () => {} }),
    test: async () => {},
  };
}

/** What a person answered to the sandbox's question of 3-D Secure. Unknown and answered ones change nothing. */
export async function answerChallenge(parts: Parts, actionToken: string, passed: boolean): Promise<void> {
  await inBook(parts, (tx) =>
    tx
      .updateTable('sandbox_charges')
      .set({ state: passed ? 'paid' : 'failed', failure: passed ? '' : 'card-not-confirmed', action_token: '' })
      .where('action_token', '=', actionToken)
      .where('state', '=', 'action')
      .execute(),
  );
}

/** Charges of the sandbox that have changed since they were recorded. A processor outside would send messages about them. */
export async function changedInSandbox(parts: Parts): Promise<ChargeId[]> {
  const before = new Date(parts.clock.now() - laterMs).toISOString();
  const { rows } = await inBook(parts, (tx) =>
    sql<{ company_id: number; charge_id: number }>`select * from sandbox_changes(${before})`.execute(tx),
  );
  return rows.map((row) => ({ companyId: row.company_id, chargeId: row.charge_id }));
}
