import { Alert, Typography } from '@mui/material';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { type Attention, listAttention } from '@roomside/contract/numbers/calls.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { withoutFactor } from '../users/without-factor.ts';
import { texts } from './texts.ts';
import './numbers.css';

/** What an administrator of a clinic, or of the installation, should act on, with the way there. */
export function AttentionSection() {
  const read = useRead(listAttention, undefined, { staleTime: 0 });
  const signIn = useRead(getSignIn, undefined, { staleTime: 60_000 });
  if (read.error && !read.data) return <LoadError error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data || signIn.isPending) return null;
  const { data } = read.data;
  const zone = signIn.data?.company?.timeZone ?? ownZone();
  return (
    <Section title={texts.attention}>
      {data.length === 0 && <Typography color="textSecondary">{texts.nothing}</Typography>}
      <ul className="numbers-attention">
        {data.map((item) => (
          <li key={item.kind}>
            <Alert severity="warning" action={<WayTo {...item} />}>
              {texts.attentionIs[item.kind](item, item.since && formatDateTime(item.since, zone, ownZone()))}
            </Alert>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function WayTo(item: Attention) {
  const { path, label } = wayTo(item);
  return (
    <Button look="quiet" to={path}>
      {label}
    </Button>
  );
}

function wayTo({ kind, appointment, clinics }: Attention): { path: string; label: string } {
  if (appointment) {
    const { appointmentId: id, patientId: patient } = appointment;
    return { path: to.appointmentEdit({ patient, id }), label: texts.show.appointment };
  }
  if (!clinics) return ways[kind];
  const { companyId: id } = clinics;
  return id === null ? companies : { path: to.adminCompanyEdit({ id }), label: texts.show.company };
}

const companies = { path: to.adminCompanies(), label: texts.show.companies };
const appointments = { path: to.appointmentList(), label: texts.show.appointments };
const ways: Record<Attention['kind'], { path: string; label: string }> = {
  'refund-refused': appointments,
  'email-failing': appointments,
  'texts-failing': appointments,
  'unreachable-patients': appointments,
  'license-ends': { path: to.adminPayment(), label: texts.show.license },
  'without-factor': { path: `${to.adminUsers()}?${withoutFactor}`, label: texts.show.users },
  'licenses-end': companies,
  'licenses-ended': companies,
  'supers-without-factor': { path: `${to.adminUsersOf({ company: 0 })}?${withoutFactor}`, label: texts.show.users },
};
