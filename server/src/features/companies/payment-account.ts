import type { CompanyBody } from '@roomside/contract/companies/calls.ts';
import type { RefusalCode } from '@roomside/contract/refusals.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { AnyCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { checkVersion, fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { abandonedMs, hasUnsettledCharges } from '../charges/charge-rows.ts';
import { paymentColumns } from '../charges/page-processor.ts';
import { processorOf, readAccount } from '../payments/accounts.ts';
import { NoAnswer, WrongKeys } from '../payments/processors.ts';
import { resolveCompanyId } from './get-company.ts';

/** The columns of a company's account at a processor; empty when the account stays as it is. */
export interface PaymentColumns {
  readonly payment_processor?: string | null;
  readonly payment_user?: string;
  readonly payment_password?: Buffer;
  readonly payment_webhook?: Buffer;
}

type Look = <T>(work: (tx: Tx, caller: AnyCaller) => Promise<T>) => Promise<T>;

/** A changed account that its processor has accepted. */
export interface CheckedAccount {
  readonly columns: PaymentColumns;
  /** After the columns were saved, or were not: the processor sends messages for the stored account only. */
  ended(isSaved: boolean): Promise<void>;
}

const unchanged: CheckedAccount = { columns: {}, ended: async () => {} };

/**
 * Requires that no charge or refund of a company needs the account that is about to be replaced.
 *
 * @throws Refusal `payments-unsettled`
 */
export async function requireSettled(
  tx: Tx,
  stored: { company_id: number; payment_processor: string | null; payment_user: string },
  { payment_processor: processor, payment_user: user }: PaymentColumns,
  now: string,
): Promise<void> {
  if (processor === undefined || (processor === stored.payment_processor && user === stored.payment_user)) return;
  const since = new Date(Date.parse(now) - abandonedMs).toISOString();
  if (await hasUnsettledCharges(tx, stored.company_id, since)) throw new Refusal('payments-unsettled');
}

/**
 * Checks a changed account at its processor, outside of transactions, and seals its secrets.
 *
 * @throws Refusal `stale`, `payments-unsettled`, `wrong-processor-keys`, `processor-silent`; `invalid` without a secret key
 */
export async function checkedAccount(
  context: Context,
  body: CompanyBody,
  now: string,
  look: Look,
): Promise<CheckedAccount> {
  const { paymentProcessor } = body;
  if (paymentProcessor === undefined) return unchanged;
  const user = (body.pmtUser ?? '').trim();
  const stored = await look(async (tx, caller) => {
    const row = await readStored(tx, caller, body);
    if (row) await requireSettled(tx, row, { payment_processor: paymentProcessor, payment_user: user }, now);
    return row;
  });
  if (!stored) return unchanged;
  const companyId = stored.company_id;
  const typed = (body.pmtPassword ?? '').trim();
  const isSame = stored.payment_processor === paymentProcessor && stored.payment_user === user;
  if (isSame && typed === '') return unchanged;
  const none = Buffer.alloc(0);
  const columns = { payment_processor: paymentProcessor, payment_user: user, payment_webhook: none };
  if (paymentProcessor === null || (paymentProcessor === 'sandbox' && typed === ''))
    return { columns: { ...columns, payment_password: none }, ended: unchanged.ended };
  const inJob = <T>(work: (tx: Tx) => Promise<T>) => context.db.open({ kind: 'job', companyId }, work);
  const earlier = await inJob((tx) => readAccount(tx, context, companyId));
  // The account that the charges of the past belong to may get a new public key with the same secret one.
  const password = typed || (stored.payment_processor === paymentProcessor ? (earlier?.password ?? '') : '');
  if (password === '') throw fieldRefusal('invalid', 'pmtPassword', fieldTexts.required);
  const account = { processor: paymentProcessor, user, password };
  try {
    const processor = await processorOf(context, paymentProcessor);
    await processor.test(account);
    const listening = await processor.listen(account, stored.company_uid);
    return await inJob(async (tx) => {
      const seal = (text: string, place: string) => sealText(tx, context.keys, { companyId, now }, text, place);
      return {
        columns: {
          ...columns,
          payment_password: await seal(password, sealedPlaces.paymentPassword(companyId)),
          payment_webhook: await seal(listening.secret, sealedPlaces.paymentWebhook(companyId)),
        },
        async ended(isSaved) {
          try {
            await (isSaved ? listening.keep() : listening.drop());
          } catch (error) {
            if (!(error instanceof NoAnswer || error instanceof WrongKeys)) throw error;
            context.log.warn({ companyId, reason: error.name }, 'messages of a payment processor were not tidied up');
          }
        },
      };
    });
  } catch (error) {
    if (error instanceof WrongKeys) throw refusalAt('wrong-processor-keys');
    throw error instanceof NoAnswer ? refusalAt('processor-silent') : error;
  }
}

const refusalAt = (code: RefusalCode): Refusal => fieldRefusal(code, 'pmtPassword');

/**
 * The company as stored; undefined: it is created by this call. The version is checked here, too: a save that is refused must not replace
 * the webhook at the processor.
 */
async function readStored(tx: Tx, caller: AnyCaller, { companyId, version }: CompanyBody) {
  if (caller.kind === 'super' && companyId === 0) return undefined;
  const stored = await tx
    .selectFrom('companies')
    .select([...paymentColumns, 'company_id', 'company_uid', 'version'])
    .where('company_id', '=', resolveCompanyId(caller, companyId))
    .executeTakeFirst();
  if (stored) checkVersion(stored, version);
  return stored;
}
