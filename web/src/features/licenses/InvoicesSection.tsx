import { Box, Link, Typography } from '@mui/material';
import { listInvoices } from '@roomside/contract/licenses/calls.ts';
import { Link as RouterLink } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { formatMoney } from '../../ui/money.ts';
import { Section } from '../../ui/Section.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { periodWords, texts } from './texts.ts';

/** The invoices of a company, each with a page to print. */
export function InvoicesSection({ input }: { input: { params: { companyId: number } } }) {
  const { data, error, refetch } = useRead(listInvoices, input, { staleTime: 0 });
  return (
    <Section title={texts.invoices}>
      {data ? (
        data.data.length === 0 ? (
          <Typography color="textSecondary">{texts.noInvoices}</Typography>
        ) : (
          <Box component="ul" className="license-invoices">
            {data.data.map(({ number, date, startsOn, endsOn, total, currency }) => (
              <li key={number}>
                <Link component={RouterLink} to={to.adminInvoice({ number })}>
                  {texts.invoice.title(number)}
                </Link>
                <span>{formatDate(date)}</span>
                <span className="license-period">{periodWords({ startsOn, endsOn })}</span>
                <strong>{formatMoney(total, currency)}</strong>
              </li>
            ))}
          </Box>
        )
      ) : error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <CardsSkeleton cards={1} />
      )}
    </Section>
  );
}
