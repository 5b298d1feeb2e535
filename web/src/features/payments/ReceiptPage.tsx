import { fromCents, toCents } from '@roomside/contract/money.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getReceipt, type Receipt } from '@roomside/contract/payments/calls.ts';
import { useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { useGoBack } from '../../go-back.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, formatLongDate, formatTime } from '../../time/time.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { formatMoney } from '../../ui/money.ts';
import { texts as uiTexts } from '../../ui/texts.ts';
import { texts } from './texts.ts';
import './receipt.css';

const words = texts.receipt;

/** /receipt/{uid}: what was paid for an appointment, for the patient and for staff; made for paper too. */
export function ReceiptPage() {
  const uid = normalizeUid(useParams()['uid'] ?? '');
  const { data, error, refetch } = useRead(getReceipt, { params: { uid } }, { staleTime: 0 });
  if (data && data.lines.length > 0) return <Sheet receipt={data} uid={uid} />;
  const isGone = data !== undefined || isRefusal(error, 'not-found') || isRefusal(error, 'malformed');
  return (
    <Page title={words.title}>
      {error || data ? (
        <>
          <Notice kind="error">{isGone ? words.none : wordsFor(error)}</Notice>
          {!isGone && <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>}
        </>
      ) : (
        <Spinner label={uiTexts.loading} />
      )}
    </Page>
  );
}

function Sheet({ receipt, uid }: { receipt: Receipt; uid: string }) {
  const { currency, timeZone, supportEmail } = receipt;
  const money = (amount: string) => formatMoney(amount, currency);
  // What was returned is not owed.
  const wasPaid = receipt.lines.some(({ kind, amount }) => kind !== 'promo' && toCents(amount) > 0);
  const isReturned = wasPaid && toCents(paidOf(receipt)) === 0;
  return (
    <Page eyebrow={receipt.companyName} title={words.title} foot={supportEmail && words.questions(supportEmail)}>
      <dl className="receipt-facts">
        <dt>{words.number}</dt>
        <dd>{receipt.number}</dd>
        <dt>{words.patient}</dt>
        <dd>{fullName(receipt.patient)}</dd>
        <dt>{words.visit}</dt>
        <dd>{words.visitWith(whenIs(receipt.startDate, timeZone), fullName(receipt.doctor))}</dd>
      </dl>
      <table className="receipt-lines">
        <tbody>
          <tr>
            <th scope="row">{words.fee}</th>
            <td>{money(receipt.fee)}</td>
          </tr>
          {receipt.lines.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- Lines have no id, and are only added.
            <tr key={index}>
              <th scope="row">
                {words.line(line)} <small>{formatDate(dateOf(line.date, timeZone))}</small>
              </th>
              <td>{money(negative(line.amount))}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.paid}</th>
            <td>{money(paidOf(receipt))}</td>
          </tr>
          {!isReturned && (
            <tr>
              <th scope="row">{words.balance}</th>
              <td>{money(receipt.balance)}</td>
            </tr>
          )}
        </tfoot>
      </table>
      <Actions uid={uid} />
    </Page>
  );
}

/** The clinic's time: a receipt is the same for all who read it. */
const whenIs = (instant: string, zone: string): string =>
  `${formatLongDate(dateOf(instant, zone))}, ${formatTime(instant, zone)}`;

/** What was paid lowers what is owed. */
const negative = (amount: string): string => fromCents(-toCents(amount));

/** What was paid and not returned; a promo code pays nothing. */
const paidOf = ({ lines }: Receipt): string =>
  fromCents(lines.reduce((sum, { kind, amount }) => (kind === 'promo' ? sum : sum + toCents(amount)), 0));

function Actions({ uid }: { uid: string }) {
  const isPatient = useSignIn().kind === 'patient';
  const goBack = useGoBack(to.home());
  return (
    <div className="rs-form receipt-actions">
      <Button onClick={() => print()}>{words.print}</Button>
      {isPatient ? (
        <ButtonLink href={`#${to.appointmentPatient({ uid })}`}>{words.visitLink}</ButtonLink>
      ) : (
        <Button look="secondary" onClick={() => void goBack()}>
          {words.back}
        </Button>
      )}
    </div>
  );
}
