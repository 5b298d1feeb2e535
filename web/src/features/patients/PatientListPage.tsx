import EventAvailableOutlinedIcon from '@mui/icons-material/EventAvailableOutlined';
import PeopleAltOutlinedIcon from '@mui/icons-material/PeopleAltOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import { IconButton, Link, Tooltip } from '@mui/material';
import { deletePatient, listPatients, type PatientRow } from '@roomside/contract/patients/calls.ts';
import { may } from '@roomside/contract/permissions.ts';
import { Link as RouterLink } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useDelete } from '../../list/use-delete.ts';
import { useList } from '../../list/use-list.ts';
import { When } from '../../list/When.tsx';
import { to } from '../../paths.ts';
import { dateOf, formatDate, formatDateTime, ownZone } from '../../time/time.ts';
import { useInstantAppointment } from '../appointments/use-instant-appointment.ts';
import { texts } from './texts.ts';

/** PATIENTS-1 to PATIENTS-3. */
export function PatientListPage() {
  const state = useListState('patients');
  const list = useList(listPatients, state);
  const zone = useCompany()?.timeZone ?? ownZone();
  return (
    <RecordListPage
      texts={texts}
      list={list}
      columns={columnsIn(zone)}
      rowKey={({ patientId }) => patientId}
      actions={useActions(list)}
      addTo={to.patientEdit({ id: 0 })}
      icon={<PeopleAltOutlinedIcon />}
    />
  );
}

function columnsIn(zone: string): Column<PatientRow>[] {
  const when = (instant: string | null) => instant && <When>{formatDateTime(instant, zone, ownZone())}</When>;
  return [
    {
      header: texts.columns.firstName,
      sort: 'firstName',
      cell: ({ patientId, firstName }) => editLink(patientId, firstName),
      card: ({ patientId, firstName, lastName }) => editLink(patientId, `${firstName} ${lastName}`),
    },
    { header: texts.columns.lastName, sort: 'lastName', cell: ({ lastName }) => lastName, wideOnly: true },
    { header: texts.columns.doB, sort: 'doB', cell: ({ doB }) => doB && formatDate(doB) },
    {
      header: texts.columns.created,
      sort: 'created',
      cell: ({ created }) => formatDate(dateOf(created, zone)),
    },
    { header: texts.columns.lastAppointment, sort: 'lastAppointment', cell: (row) => when(row.lastAppointment) },
    { header: texts.columns.nextAppointment, sort: 'nextAppointment', cell: (row) => when(row.nextAppointment) },
  ];
}

const editLink = (patientId: number, name: string) => (
  <Link component={RouterLink} to={to.patientEdit({ id: patientId })}>
    {name}
  </Link>
);

/** PATIENTS-2. */
function useActions(list: ReturnType<typeof useList<typeof listPatients>>) {
  const signIn = useSignIn();
  const mayConnect = signIn.status === 'in' && may(signIn.caller, 'appointment.instant');
  const instant = useInstantAppointment();
  const remove = useDelete(deletePatient, list, {
    input: ({ patientId }) => ({ params: { patientId } }),
    isSame: (a, b) => a.patientId === b.patientId,
    details: ({ firstName, lastName, doB }) => [
      `${firstName} ${lastName}`,
      ...(doB ? [texts.born(formatDate(doB))] : []),
    ],
    success: texts.deleted,
  });
  return (row: PatientRow) => {
    const name = `${row.firstName} ${row.lastName}`;
    return (
      <>
        <Tooltip title={texts.schedule(name)}>
          <IconButton
            aria-label={texts.schedule(name)}
            component={RouterLink}
            to={to.appointmentEdit({ patient: row.patientId, id: 0 })}
          >
            <EventAvailableOutlinedIcon fontSize="small" />
          </IconButton>
        </Tooltip>
        {mayConnect && (
          <Tooltip title={texts.connect(name)}>
            <IconButton
              aria-label={texts.connect(name)}
              aria-disabled={instant.isStarting}
              onClick={() => void instant.startFor(row.patientId)}
            >
              <VideocamOutlinedIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        <DeleteAction label={texts.remove(name)} onDelete={() => void remove(row)} />
      </>
    );
  };
}
