import { Box, Card, CardActionArea, Typography } from '@mui/material';
import { getFirstSteps } from '@roomside/contract/first-steps/calls.ts';
import { listAttention } from '@roomside/contract/numbers/calls.ts';
import { Link } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { FirstSteps } from '../first-steps/FirstSteps.tsx';
import { AttentionSection } from '../numbers/AttentionSection.tsx';
import { NumbersSection } from '../numbers/NumbersSection.tsx';
import { texts } from './texts.ts';

/** The areas of ADMIN-1 and, after them, further ones, and their roles. */
const areas: readonly { label: string; path: string; company: 'with' | 'without' | 'any' }[] = [
  { label: texts.users, path: to.adminUsers(), company: 'any' },
  { label: texts.companies, path: to.adminCompanies(), company: 'without' },
  { label: texts.brands, path: to.adminBrands(), company: 'without' },
  { label: texts.rules, path: to.adminScheduling(), company: 'with' },
  { label: texts.promoCodes, path: to.adminPromos(), company: 'any' },
  { label: texts.importPatients, path: to.adminCsvImport(), company: 'with' },
  { label: texts.companyInfo, path: to.adminCompanyOwn(), company: 'with' },
  { label: texts.account, path: to.user(), company: 'any' },
  { label: texts.licensing, path: to.adminPayment(), company: 'with' },
  { label: texts.payments, path: to.adminLedger(), company: 'with' },
  { label: texts.data, path: to.adminData(), company: 'with' },
  { label: texts.auditLog, path: to.adminAudit(), company: 'any' },
];

export function AdminHomePage() {
  const signIn = useSignIn();
  if (signIn.status !== 'in') return null;
  const side = signIn.claims.company === undefined ? 'without' : 'with';
  const shown = areas.filter(({ company }) => company === 'any' || company === side);
  return (
    <Page title={texts.title}>
      <Box sx={columns}>
        <Box component="ul" sx={areaList}>
          {shown.map(({ label, path }) => (
            <Card component="li" key={path}>
              <CardActionArea component={Link} to={path} sx={{ px: 2, py: 1.5 }}>
                <Typography variant="h2">{label}</Typography>
              </CardActionArea>
            </Card>
          ))}
        </Box>
        <Overview hasCompany={side === 'with'} />
      </Box>
    </Page>
  );
}

function Overview({ hasCompany }: { hasCompany: boolean }) {
  const steps = useRead(getFirstSteps, undefined, { staleTime: 0, enabled: hasCompany });
  const attention = useRead(listAttention, undefined, { staleTime: 0 });
  const isRead = attention.isFetched && (!hasCompany || steps.isFetched);
  return (
    <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <WhenRead isRead={isRead} waiting={<FormSkeleton sections={[2, 4, 2]} />}>
        {hasCompany && <FirstSteps />}
        <AttentionSection />
        {hasCompany && <NumbersSection />}
      </WhenRead>
    </Box>
  );
}

/** The areas beside what needs attention and the clinic's numbers, above them on small screens. */
const columns = {
  display: 'grid',
  gap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: '240px minmax(0, 1fr)' },
} as const;
const areaList = {
  display: 'grid',
  gap: 1.5,
  gridTemplateColumns: { xs: 'repeat(auto-fit, minmax(160px, 1fr))', lg: 'minmax(0, 1fr)' },
  listStyle: 'none',
  m: 0,
  p: 0,
  maxWidth: 720,
} as const;
