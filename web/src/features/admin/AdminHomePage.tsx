import { Card, CardActionArea, Stack, Typography } from '@mui/material';
import { Link } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import { to } from '../../paths.ts';
import { Page } from '../../ui/Page.tsx';
import { useIsRegistered } from '../../ui/registered.ts';
import { texts } from './texts.ts';

/** The areas of ADMIN-1 and their roles; an area without a screen is not offered. */
const areas: readonly { label: string; path: string; company: 'with' | 'without' | 'any' }[] = [
  { label: texts.users, path: to.adminUsers(), company: 'any' },
  { label: texts.companies, path: to.adminCompanies(), company: 'without' },
  { label: texts.rules, path: to.adminScheduling(), company: 'with' },
  { label: texts.promoCodes, path: to.adminPromos(), company: 'any' },
  { label: texts.importPatients, path: to.adminCsvImport(), company: 'with' },
  { label: texts.companyInfo, path: to.adminCompanyOwn(), company: 'with' },
  { label: texts.account, path: to.user(), company: 'any' },
];

export function AdminHomePage() {
  const session = useSignIn();
  const isRegistered = useIsRegistered();
  if (session.status !== 'in') return null;
  const side = session.claims.company === undefined ? 'without' : 'with';
  const shown = areas.filter(({ path, company }) => (company === 'any' || company === side) && isRegistered(path));
  return (
    <Page title={texts.title}>
      <Stack component="ul" sx={{ gap: 2, listStyle: 'none', m: 0, p: 0, maxWidth: 480 }}>
        {shown.map(({ label, path }) => (
          <Card component="li" key={path}>
            <CardActionArea component={Link} to={path} sx={{ p: 2.5 }}>
              <Typography variant="h2">{label}</Typography>
            </CardActionArea>
          </Card>
        ))}
      </Stack>
    </Page>
  );
}
