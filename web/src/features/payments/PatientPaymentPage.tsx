import { toCents } from '@roomside/contract/money.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import type { Payment } from '@roomside/contract/payments/calls.ts';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { Instead } from '../../Instead.tsx';
import { to } from '../../paths.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { formatMoney } from '../../ui/money.ts';
import { texts as uiTexts } from '../../ui/texts.ts';
import { Visit } from '../booking/Visit.tsx';
import { CardField } from './card-field/CardField.tsx';
import type { CardHandle } from './card-field/card-handle.ts';
import { focusPromo, PromoField, usePromo } from './PromoField.tsx';
import { texts } from './texts.ts';
import { type Promo, usePayment } from './use-payment.ts';
import './payment.css';

/** How long the thanks are shown before the visit opens, ms. */
const thanksMs = 1_000;

/** /patient-payment/{uid}: a patient pays what they owe for an appointment (ROUTE-3, PAY-1). */
export function PatientPaymentPage() {
  const uid = normalizeUid(useParams()['uid'] ?? '');
  return <PaymentOf key={uid} uid={uid} />;
}

function PaymentOf({ uid }: { uid: string }) {
  const card = useRef<CardHandle>(null);
  const steps = usePayment(uid, card);
  const { read, payment, isChecking, paid, offline } = steps;
  // A remembered result may be older than a payment in another tab.
  if (!payment || !read.isFetchedAfterMount) return read.error ? <CannotOpen read={read} /> : <Opening />;
  if (payment.cancelled && payment.state !== 'processing') return <Cancelled payment={payment} />;
  if (payment.state === 'settled') {
    return paid ? <Thanks payment={payment} /> : <Instead page={to.appointmentPatient({ uid })} />;
  }
  if (payment.state === 'small') return <NotByCard payment={payment} words={texts.small} />;
  if (isChecking) return <Checking payment={payment} offline={offline} />;
  if (payment.state === 'action' && payment.processor) return <Action payment={payment} steps={steps} />;
  return payment.processor ? (
    <Due payment={payment} steps={steps} card={card} />
  ) : (
    <NotByCard payment={payment} words={texts.off} />
  );
}

type Steps = ReturnType<typeof usePayment>;

interface DueProps {
  payment: Payment;
  steps: Steps;
  card: React.RefObject<CardHandle | null>;
}

/** What is owed, and the card. */
function Due({ payment, steps: { busy, error, setError, pay }, card }: DueProps) {
  const promo = usePromo(payment.appointmentUid);
  const [said, setSaid] = useState('');
  const amount = promo.applied?.balance ?? payment.balance;
  const isFree = toCents(amount) === 0;
  const canBeRefunded = !isFree || toCents(payment.paid) !== 0;

  async function start() {
    if (busy) return;
    setSaid('');
    // A typed code is applied first, so that no one pays more than expected.
    if (promo.typed.trim() !== '') {
      setError('');
      if (await promo.apply()) setSaid(texts.promoApplied);
      else focusPromo();
      return;
    }
    const refusal = await pay(amount, promo.applied);
    if (refusal === 'promo-not-valid' || refusal === 'amount-changed') promo.remove();
  }

  return (
    <Page eyebrow={payment.companyName} title={texts.title} foot={<Support email={payment.supportEmail} />}>
      <VisitOf payment={payment} />
      <Amounts payment={payment} promo={promo.applied} />
      {promo.applied ? (
        <Button look="quiet" onClick={() => promo.remove()} disabled={busy}>
          {texts.remove(promo.applied.code)}
        </Button>
      ) : (
        <PromoField promo={promo} disabled={busy} />
      )}
      <div className="pay-card">
        {payment.processor && !isFree ? (
          <CardField
            processor={payment.processor}
            label={texts.card}
            error={error}
            busy={busy}
            onSubmit={() => void start()}
            ref={card}
          />
        ) : (
          error && <Notice kind="error">{error}</Notice>
        )}
      </div>
      {said && <Notice>{said}</Notice>}
      {canBeRefunded && <p className="pay-rule">{texts.cancellation(payment.cancellation)}</p>}
      <div className="rs-form">
        <Button busy={busy} onClick={() => void start()}>
          {busy ? texts.paying : isFree ? texts.payNothing : texts.pay(formatMoney(amount, payment.currency))}
        </Button>
        <p className="pay-wait" role="status">
          {busy && texts.keepOpen}
        </p>
      </div>
    </Page>
  );
}

/** Why which amount is owed. */
function Amounts({ payment, promo }: { payment: Payment; promo: Promo | undefined }) {
  const { fee, discount, paid, balance, currency } = payment;
  const money = (amount: string) => formatMoney(amount, currency);
  const less = (amount: string) => `−${money(amount)}`;
  return (
    <dl className="pay-amounts">
      <Amount name={texts.fee}>{money(fee)}</Amount>
      {toCents(discount) !== 0 && <Amount name={texts.discount}>{less(discount)}</Amount>}
      {toCents(paid) !== 0 && <Amount name={texts.paid}>{less(paid)}</Amount>}
      {promo && <Amount name={texts.promoLine(promo.code)}>{less(promo.discount)}</Amount>}
      <Amount name={texts.due} isTotal>
        {money(promo?.balance ?? balance)}
      </Amount>
    </dl>
  );
}

function Amount({ name, isTotal = false, children }: { name: string; isTotal?: boolean; children: ReactNode }) {
  return (
    <div {...(isTotal && { className: 'pay-total' })}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function VisitOf({ payment: { startDate, timeZone, doctor } }: { payment: Payment }) {
  return <Visit startDate={startDate} clinicZone={timeZone} doctor={fullName(doctor)} />;
}

/** The result of a payment is not known yet. */
function Checking({ payment, offline }: { payment: Payment; offline: boolean }) {
  return (
    <Page eyebrow={payment.companyName} title={texts.checking.title}>
      <p className="rs-text">{texts.checking.text}</p>
      <Spinner label={offline ? texts.checking.offline : texts.keepOpen} />
    </Page>
  );
}

/** The patient's bank asks for a confirmation, which is shown above this page. */
function Action({ payment, steps: { busy, error, confirm } }: { payment: Payment; steps: Steps }) {
  return (
    <Page eyebrow={payment.companyName} title={texts.action.title} foot={<Support email={payment.supportEmail} />}>
      <p className="rs-text">{texts.action.text}</p>
      {error && <Notice kind="error">{error}</Notice>}
      <Button busy={busy} onClick={() => void confirm(payment)}>
        {texts.action.confirm}
      </Button>
    </Page>
  );
}

/** ERROR-8. The visit opens, unless the patient turns to the receipt. */
function Thanks({ payment: { appointmentUid: uid, companyName, hasReceipt } }: { payment: Payment }) {
  const [isStaying, setStaying] = useState(false);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (isStaying) return;
    const timer = setTimeout(() => setOver(true), thanksMs);
    return () => clearTimeout(timer);
  }, [isStaying]);
  const stay = () => setStaying(true);
  return (
    <Page eyebrow={companyName} title={texts.thanks.title}>
      {isOver && <Instead page={to.appointmentPatient({ uid })} />}
      <p className="rs-text">{isStaying ? texts.thanks.staying : texts.thanks.text}</p>
      <div className="rs-form">
        <ButtonLink look="primary" href={`#${to.appointmentPatient({ uid })}`}>
          {texts.thanks.visit}
        </ButtonLink>
        {hasReceipt && (
          <ButtonLink href={`#${to.receipt({ uid })}`} onFocus={stay} onPointerEnter={stay} onClick={stay}>
            {texts.thanks.receipt}
          </ButtonLink>
        )}
      </div>
    </Page>
  );
}

/** What is owed cannot be paid here. */
function NotByCard({ payment, words }: { payment: Payment; words: typeof texts.off | typeof texts.small }) {
  const { companyName, supportEmail, balance, currency, appointmentUid: uid } = payment;
  return (
    <Page eyebrow={companyName} title={words.title}>
      <VisitOf payment={payment} />
      <p className="rs-text">{words.text(formatMoney(balance, currency))}</p>
      <div className="rs-form">
        <ButtonLink look="primary" href={`#${to.appointmentPatient({ uid })}`}>
          {words.visit}
        </ButtonLink>
        {supportEmail && <ButtonLink href={`mailto:${supportEmail}`}>{texts.support(supportEmail)}</ButtonLink>}
      </div>
    </Page>
  );
}

function Cancelled({ payment: { companyName, supportEmail } }: { payment: Payment }) {
  return (
    <Page eyebrow={companyName} title={texts.cancelled.title} foot={<Support email={supportEmail} />}>
      <p className="rs-text">{texts.cancelled.text}</p>
    </Page>
  );
}

function Support({ email }: { email: string }) {
  if (!email) return null;
  return (
    <a className="rs-link pay-support" href={`mailto:${email}`}>
      {texts.support(email)}
    </a>
  );
}

function Opening() {
  return (
    <Page eyebrow={texts.eyebrow} title={texts.title}>
      <Spinner label={uiTexts.loading} />
    </Page>
  );
}

function CannotOpen({ read: { error, refetch } }: { read: Steps['read'] }) {
  const isGone = isRefusal(error, 'not-found') || isRefusal(error, 'malformed');
  return (
    <Page title={texts.eyebrow}>
      <Notice kind="error">{isGone ? texts.notFound : wordsFor(error)}</Notice>
      {isGone ? (
        <p className="rs-text">{texts.notFoundNote}</p>
      ) : (
        <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>
      )}
    </Page>
  );
}
