import { Autocomplete, TextField } from '@mui/material';
import { getCompany, listCompanies } from '@roomside/contract/companies/calls.ts';
import { searchDebounceMs } from '@roomside/contract/limits.ts';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { texts as all } from './user-texts.ts';

const texts = all.list;

/** Administrators of the installation have no company. */
const installation = { companyId: 0, companyName: texts.installation };

/** ROLE-6: shows the users of one company, of the installation, or all. The choice is in the path. */
export function CompanyFilter({ companyId }: { companyId: number | undefined }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [filter, setFilter] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setFilter(typed.trim()), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const current = useRead(getCompany, { params: { companyId: companyId ?? 0 } }, { enabled: !!companyId }).data;
  const query = { top: 20, skip: 0, ...(filter && { filter }) };
  // Options stay until the next ones are known: they must not vanish below the pointer.
  const found = useRead(listCompanies, { query }, { keepPrevious: true }).data?.data ?? [];
  const options = found.map(({ companyId: id, companyName }) => ({ companyId: id, companyName }));
  const hasInstallation = installation.companyName.toLowerCase().startsWith(filter.toLowerCase());
  const chosen = companyId && current ? { companyId, companyName: current.companyName } : null;
  return (
    <Autocomplete
      sx={{ maxWidth: 360, mb: 2 }}
      options={hasInstallation ? [installation, ...options] : options}
      value={companyId === 0 ? installation : chosen}
      filterOptions={(options) => options}
      getOptionLabel={({ companyName }) => companyName}
      getOptionKey={(option) => option.companyId}
      isOptionEqualToValue={(a, b) => a.companyId === b.companyId}
      onInputChange={(_, text, reason) => reason === 'input' && setTyped(text)}
      onChange={(_, next) => {
        setTyped('');
        void navigate(next ? to.adminUsersOf({ company: next.companyId }) : to.adminUsers());
      }}
      renderInput={(props) => <TextField {...props} label={texts.company} placeholder={texts.allCompanies} />}
    />
  );
}
