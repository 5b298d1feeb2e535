import HistoryIcon from '@mui/icons-material/History';
import { Box } from '@mui/material';
import { auditText } from '@roomside/contract/audit/actions.ts';
import { type AuditRow, downloadAuditLog, getAuditState, listAuditLog } from '@roomside/contract/audit/calls.ts';
import { auditTexts } from '@roomside/contract/audit/texts.ts';
import { type RefusalCode, refusals } from '@roomside/contract/refusals.ts';
import { date as dateShape } from '@roomside/contract/shape.ts';
import { roleNameOf } from '@roomside/contract/users/calls.ts';
import { useState } from 'react';
import { useParams } from 'react-router';
import { sendForFile } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import { useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DownloadButton } from '../../list/DownloadButton.tsx';
import { ListTable } from '../../list/ListTable.tsx';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useList } from '../../list/use-list.ts';
import { When } from '../../list/When.tsx';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Page } from '../../ui/Page.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { AuditFilters, type Filters } from './AuditFilters.tsx';
import { ChainState } from './ChainState.tsx';
import { texts } from './texts.ts';

/** /admin/audit, also of one patient: who viewed or changed what of whom. */
export function AuditPage() {
  const patientId = Number(useParams()['patient'] ?? 0) || undefined;
  return <Log key={patientId} {...(patientId !== undefined && { patientId })} />;
}

function Log({ patientId }: { patientId?: number }) {
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  const company = useCompany();
  const zone = company?.timeZone ?? (isSuper ? 'UTC' : ownZone());
  const [filters, setFilters] = useState<Filters>({
    person: null,
    patient: patientId === undefined ? null : { id: patientId, name: '' },
    from: '',
    to: '',
    kind: 'all',
  });
  const query = queryOf(filters);
  const state = useListState('audit', { scope: JSON.stringify(query) });
  const list = useList(listAuditLog, state, query);
  const chain = useRead(getAuditState);

  return (
    <Page
      title={texts.title}
      actions={
        <>
          <DownloadButton label={texts.download} open={() => sendForFile(downloadAuditLog, { query })} />
          <RefreshButton onRefresh={state.refresh} />
        </>
      }
    >
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <ChainState zone={zone} />
        <WhenRead isRead={chain.isFetched} waiting={<CardsSkeleton />}>
          <AuditFilters filters={withName(filters, list.rows)} onChange={setFilters} hasPatients={!isSuper} />
          <ListTable
            label={texts.title}
            list={list}
            columns={columnsIn(zone)}
            rowKey={({ auditId }) => auditId}
            empty={{ text: texts.empty, hint: texts.emptyHint, icon: <HistoryIcon /> }}
          />
        </WhenRead>
      </Box>
    </Page>
  );
}

/** An incomplete date filters nothing. */
function queryOf({ person, patient, from, to, kind }: Filters) {
  return {
    ...(person && { personId: person.id }),
    ...(patient && { patientId: patient.id }),
    ...(dateShape.safeParse(from).success && { from }),
    ...(dateShape.safeParse(to).success && { to }),
    ...(kind !== 'all' && { kind }),
  };
}

/** The patient of the address has no name yet: the rows have it, since their first subject is the patient or a visit of theirs. */
function withName(filters: Filters, rows: readonly AuditRow[] | undefined): Filters {
  const { patient } = filters;
  if (!patient || patient.name !== '') return filters;
  const name = rows?.find(({ subjects }) => subjects[0]?.name)?.subjects[0]?.name;
  return { ...filters, patient: { ...patient, name: name ?? texts.thisPatient } };
}

const roleOf = ({ kind, roleId }: AuditRow['actor']): string | undefined => {
  if (kind === 'patient') return texts.patientRole;
  if (kind === 'guest') return texts.guestRole;
  if (kind === 'installation') return texts.installationRole;
  return roleId ? roleNameOf(roleId) : undefined;
};

const second = (text: string | undefined) =>
  text && (
    <Box component="span" sx={{ display: 'block', color: 'text.secondary' }}>
      {text}
    </Box>
  );

function columnsIn(zone: string): Column<AuditRow>[] {
  return [
    {
      header: texts.columns.at,
      sort: 'at',
      cell: ({ at }) => <When>{formatDateTime(at, zone, ownZone())}</When>,
    },
    {
      header: texts.columns.person,
      cell: ({ actor }) => (
        <>
          {auditTexts.actor(actor)}
          {second(roleOf(actor))}
        </>
      ),
    },
    {
      header: texts.columns.action,
      cell: ({ action, details, refused, count }) => (
        <>
          {auditText(action)}
          {details !== null && second(details)}
          {refused !== null && second(texts.refused(refusals[refused as RefusalCode]?.text ?? refused))}
          {count > 1 && second(texts.times(count))}
        </>
      ),
    },
    { header: texts.columns.subjects, cell: (row) => subjectsOf(row, zone) },
    { header: texts.columns.address, cell: ({ address }) => address },
  ];
}

function subjectsOf({ subjects, more }: AuditRow, zone: string) {
  if (subjects.length === 0) return null;
  return (
    <>
      {subjects.map((subject) => (
        <Box key={`${subject.kind} ${subject.id}`} component="span" sx={{ display: 'block' }}>
          {auditTexts.subject(subject)}
          {subject.startDate && (
            <>
              , <When>{formatDateTime(subject.startDate, zone, ownZone())}</When>
            </>
          )}
        </Box>
      ))}
      {more > 0 && second(texts.more(more))}
    </>
  );
}
