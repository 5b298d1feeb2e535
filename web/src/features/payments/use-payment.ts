import type { ResultOf } from '@roomside/contract/call.ts';
import { toCents } from '@roomside/contract/money.ts';
import {
  type checkPromo,
  getPayment,
  type Payment,
  patientPay,
  settlePayment,
} from '@roomside/contract/payments/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isUnknown, OfflineError, ProblemError } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { readKey, useRead } from '../../api/use-call.ts';
import { useRepeated } from '../../api/use-repeated.ts';
import type { CardHandle } from './card-field/card-handle.ts';
import { confirmAction } from './card-field/confirm-action.ts';
import { settleEveryMs } from './card-field/settling.ts';
import { texts } from './texts.ts';

/** A payment without a response for this long is asked for, ms: a phone that changed its network may wait for minutes. */
const responseMs = 30_000;

export type Promo = ResultOf<typeof checkPromo>;

/** The payment of one appointment: what is owed, and the steps until it is paid. */
export function usePayment(uid: string, card: RefObject<CardHandle | null>) {
  const client = useQueryClient();
  const input = { params: { uid } };
  const read = useRead(getPayment, input, { staleTime: 0 });
  const payment = read.data;
  const [busy, setBusy] = useState(false);
  /** The response to a payment was lost: the page asks whether it was made. */
  const [unknown, setUnknown] = useState(false);
  const [offline, setOffline] = useState(false);
  /** Paid while this page was open. */
  const [paid, setPaid] = useState(false);
  const [error, setError] = useState('');
  const asked = useRef('');
  /** How many charges had ended when this page paid; undefined: it has not. */
  const ended = useRef<number>(undefined);

  const take = useCallback(
    (next: Payment) => {
      client.setQueryData(readKey(getPayment, { params: { uid } }), next);
      if (next.state === 'settled') setPaid(true);
    },
    [client, uid],
  );

  /** Shows why nothing was paid, with what is owed now. */
  const refuse = async (why: string) => {
    setError(why);
    await read.refetch();
  };

  async function settle(): Promise<void> {
    try {
      const endedCharges = ended.current ?? payment?.endedCharges ?? 0;
      const next = await send(settlePayment, { ...input, body: { endedCharges } });
      setOffline(false);
      if (unknown && next.state === 'due') setError(texts.checking.notPaid);
      setUnknown(false);
      take(next);
    } catch (failed) {
      // It is asked again.
      if (isUnknown(failed)) return setOffline(failed instanceof OfflineError);
      setUnknown(false);
      await refuse(wordsFor(failed));
    }
  }

  /** Asks the patient's bank, then the server. */
  async function confirm(of: Payment): Promise<void> {
    if (!of.processor || !of.actionToken) return;
    asked.current = of.actionToken;
    setBusy(true);
    setError('');
    await confirmAction(of.processor, of.actionToken).catch(() => 'failed');
    await settle();
    setBusy(false);
  }

  const askBank = useEffectEvent((of: Payment) => void confirm(of));
  const actionToken = payment?.state === 'action' ? payment.actionToken : null;
  useEffect(() => {
    if (payment && actionToken && asked.current !== actionToken) askBank(payment);
  }, [payment, actionToken]);

  // While this page pays, it waits for the response: the card stays, for the next try.
  const isChecking = !busy && (unknown || payment?.state === 'processing');
  useRepeated(isChecking, settleEveryMs, settle);

  /** Pays `amount`, which the page shows. Returns the refusal's code, if there was one. */
  async function pay(amount: string, promo: Promo | undefined): Promise<string | undefined> {
    if (busy) return undefined;
    setBusy(true);
    setError('');
    let signal: AbortSignal | undefined;
    try {
      const token = await tokenFor(amount);
      if (token === undefined) return undefined;
      ended.current = payment?.endedCharges;
      signal = AbortSignal.timeout(responseMs);
      const body = { token, promoCode: promo?.code ?? null, amount };
      take(await send(patientPay, { ...input, body }, { signal }));
    } catch (failed) {
      if (isUnknown(failed) || signal?.aborted) {
        setUnknown(true);
        return undefined;
      }
      await refuse(wordsFor(failed));
      return failed instanceof ProblemError ? failed.code : undefined;
    } finally {
      setBusy(false);
    }
    return undefined;
  }

  /** Null when a promo code covers everything; undefined when the card's field shows an error. */
  async function tokenFor(amount: string): Promise<string | null | undefined> {
    if (toCents(amount) === 0) return null;
    const result = await card.current?.tokenize();
    return result && 'token' in result ? result.token : undefined;
  }

  return { read, payment, busy, isChecking, offline, paid, error, setError, pay, confirm };
}
