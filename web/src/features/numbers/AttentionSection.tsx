import { Alert, Typography } from '@mui/material';
import { type Attention, listAttention } from '@roomside/contract/numbers/calls.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { texts } from './texts.ts';
import './numbers.css';

/** What an administrator should act on, with the way there. */
export function AttentionSection() {
  const read = useRead(listAttention, undefined, { staleTime: 0 });
  if (read.error && !read.data) return <LoadError error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return null;
  const { data } = read.data;
  return (
    <Section title={texts.attention}>
      {data.length === 0 && <Typography color="textSecondary">{texts.nothing}</Typography>}
      <ul className="numbers-attention">
        {data.map((item) => (
          <li key={item.kind}>
            <Alert severity="warning" action={<WayTo {...item} />}>
              {texts.attentionIs[item.kind](item)}
            </Alert>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function WayTo({ kind }: Attention) {
  const isAboutLicense = kind === 'license-ends';
  return (
    <Button look="quiet" to={isAboutLicense ? to.adminCompanyOwn() : to.appointmentList()}>
      {isAboutLicense ? texts.show.company : texts.show.appointments}
    </Button>
  );
}
