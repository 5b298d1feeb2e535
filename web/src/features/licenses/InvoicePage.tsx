import { getInvoice, type Invoice } from '@roomside/contract/licenses/calls.ts';
import { useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { Button, ButtonLink } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { formatMoney } from '../../ui/money.ts';
import { texts as uiTexts } from '../../ui/texts.ts';
import '../payments/receipt.css';
import { periodWords, texts } from './texts.ts';

const words = texts.invoice;

/** /admin/invoice/{number}: what was paid for a license; made for paper too. */
export function InvoicePage() {
  const number = Number(useParams()['number']) || 0;
  const { data, error, refetch } = useRead(getInvoice, { params: { number } }, { staleTime: 0 });
  if (data) return <Sheet invoice={data} />;
  const isGone = isRefusal(error, 'not-found') || isRefusal(error, 'malformed');
  return (
    <Page title={words.title(number)}>
      {error ? (
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

function Sheet({ invoice }: { invoice: Invoice }) {
  const { number, date, issuer, companyName, providers, promoCode, discountRate } = invoice;
  const money = (amount: string) => formatMoney(amount, invoice.currency);
  return (
    <Page title={words.title(number)} foot={paidWords(invoice)}>
      <dl className="receipt-facts">
        <dt>{words.number}</dt>
        <dd>{number}</dd>
        <dt>{words.date}</dt>
        <dd>{formatDate(date)}</dd>
        <dt>{words.from}</dt>
        <dd>
          {uiTexts.product}, {issuer}
        </dd>
        <dt>{words.billedTo}</dt>
        <dd>{companyName}</dd>
        <dt>{words.period}</dt>
        <dd>{periodWords(invoice)}</dd>
      </dl>
      <table className="receipt-lines">
        <tbody>
          <tr>
            <th scope="row">{words.line(providers, money(invoice.price))}</th>
            <td>{money(invoice.subtotal)}</td>
          </tr>
          {discountRate > 0 && (
            <tr>
              <th scope="row">{words.promo(promoCode, discountRate)}</th>
              <td>−{money(invoice.discount)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.total}</th>
            <td>{money(invoice.total)}</td>
          </tr>
        </tfoot>
      </table>
      <Actions companyId={invoice.companyId} />
    </Page>
  );
}

/** How it was paid. */
function paidWords({ automatic, cardBrand, cardLast4 }: Invoice): string {
  const paid = cardLast4 === '' ? words.nothing : words.paid(brandWord(cardBrand), cardLast4);
  return automatic ? `${paid}. ${words.automatic}.` : `${paid}.`;
}

/** 'visa' as people write it: 'Visa'. */
const brandWord = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1);

function Actions({ companyId }: { companyId: number }) {
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  return (
    <div className="rs-form receipt-actions">
      <Button onClick={() => print()}>{words.print}</Button>
      <ButtonLink href={`#${isSuper ? to.adminPaymentOf({ id: companyId }) : to.adminPayment()}`}>
        {words.back}
      </ButtonLink>
    </div>
  );
}
