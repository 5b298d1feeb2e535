import { getSignIn } from '@roomside/contract/auth/calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import {
  accountPay,
  calculateLicense,
  getLicense,
  type License,
  listInvoices,
  type Purchase,
  settleLicense,
} from '@roomside/contract/licenses/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isUnknown } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, readKey } from '../../api/use-call.ts';
import { useRepeated } from '../../api/use-repeated.ts';
import { toast } from '../../ui/toast.ts';
import { confirmAction } from '../payments/card-field/confirm-action.ts';
import { settleEveryMs } from '../payments/card-field/settling.ts';
import { texts } from './texts.ts';

type Order = BodyOf<typeof accountPay>;

/** The purchase of a license: the steps until it is paid. `onError` gets why it was not. */
export function usePurchase(license: License, input: { params: { companyId: number } }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  /** The response to a payment was lost: the page asks whether it was made. */
  const [unknown, setUnknown] = useState(false);
  const [error, setError] = useState('');
  const [paid, setPaid] = useState(false);
  /** The end of the license before the payment. */
  const before = useRef(license.expirationDate);
  const asked = useRef('');
  /** How many charges had ended when this page paid; undefined: it has not. */
  const ended = useRef<number>(undefined);

  async function refuse(why: string): Promise<void> {
    setUnknown(false);
    setError(why);
    await invalidate(client, [getLicense, calculateLicense]);
  }

  async function finish({ expirationDate, chargedBackup }: Purchase): Promise<void> {
    setUnknown(false);
    setError('');
    client.setQueryData<License>(readKey(getLicense, input), (known) => known && { ...known, expirationDate });
    toast.success(chargedBackup ? texts.thanksBackup : texts.thanks, { across: 'next' });
    setPaid(true);
    await invalidate(client, [getLicense, listInvoices, getSignIn, calculateLicense]);
  }

  async function take(result: Purchase): Promise<void> {
    if (result.state === 'processing') return setUnknown(true);
    if (result.state === 'paid') {
      // Without a new date nothing was bought: the request has not arrived.
      return result.expirationDate === before.current ? refuse(texts.notPaid) : finish(result);
    }
    const { actionToken } = result;
    if (!license.processor || actionToken === null) return;
    asked.current = actionToken;
    await confirmAction(license.processor, actionToken).catch(() => 'failed');
    await settle();
  }

  async function settle(): Promise<void> {
    try {
      const endedCharges = ended.current ?? license.endedCharges;
      const result = await send(settleLicense, { ...input, body: { endedCharges } });
      // A question that was closed is asked again by a button.
      if (result.state === 'action' && result.actionToken === asked.current) {
        setUnknown(false);
        return await invalidate(client, [getLicense]);
      }
      await take(result);
    } catch (failed) {
      // It is asked again.
      if (isUnknown(failed)) return setUnknown(true);
      await refuse(wordsFor(failed));
    }
  }

  /** Runs one step of the page at a time. */
  async function step(work: () => Promise<void>): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError('');
    try {
      await work();
    } finally {
      setBusy(false);
    }
  }

  /** Pays what `prepare` returns; undefined: something is missing. */
  const buy = (prepare: () => Promise<Order | undefined>) =>
    step(async () => {
      const order = await prepare();
      if (!order) return setError(texts.incomplete);
      before.current = order.expirationDate;
      ended.current = license.endedCharges;
      try {
        await take(await send(accountPay, { body: order }));
      } catch (failed) {
        if (isUnknown(failed)) return setUnknown(true);
        await refuse(wordsFor(failed));
      }
    });

  /** Asks the person's bank again. */
  const confirm = () =>
    step(async () => {
      const actionToken = license.payment?.actionToken ?? null;
      before.current = license.expirationDate;
      await take({
        state: 'action',
        actionToken,
        expirationDate: license.expirationDate,
        chargedBackup: false,
      });
    });

  const isChecking = unknown || (license.payment?.state === 'processing' && !busy);
  useRepeated(isChecking, settleEveryMs, settle);

  return { busy: busy || paid, error, setError, paid, setPaid, isChecking, buy, confirm };
}
