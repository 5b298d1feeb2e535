import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlined';
import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import ForwardToInboxOutlinedIcon from '@mui/icons-material/ForwardToInboxOutlined';
import UnsubscribeOutlinedIcon from '@mui/icons-material/UnsubscribeOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import { Box, IconButton, Link, Tooltip } from '@mui/material';
import {
  type AppointmentRow,
  deleteAppointment,
  type listAppointments,
} from '@roomside/contract/appointments/calls.ts';
import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { isOver, mayInvite } from '@roomside/contract/appointments/over.ts';
import { durationText } from '@roomside/contract/appointments/status.ts';
import { Link as RouterLink } from 'react-router';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { ListTable } from '../../list/ListTable.tsx';
import { useDelete } from '../../list/use-delete.ts';
import type { List, useList } from '../../list/use-list.ts';
import { When } from '../../list/When.tsx';
import { newAppointment, to } from '../../paths.ts';
import { formatDateTime, now, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { formatMoney } from '../../ui/money.ts';
import { whenIs } from './contact.ts';
import { StatusBadge } from './StatusBadge.tsx';
import { texts } from './texts.ts';
import { useInvitation } from './use-invitation.ts';

interface Props {
  list: ReturnType<typeof useList<typeof listAppointments>>;
  /** Set in a patient's record: hides the patient column (LIST-10). */
  patientId?: number;
  /** The shown day, if it is not today: the default of a new appointment. */
  date?: string;
}

/** The rows of a day or of a patient (LIST-7 to LIST-20). */
export function AppointmentTable({ list, patientId, date }: Props) {
  const company = useCompany();
  const columns = columnsFor(company?.timeZone ?? ownZone(), company?.currency ?? 'USD', patientId === undefined);
  return (
    <ListTable
      label={texts.title}
      list={list}
      columns={columns}
      rowKey={({ appointmentId }) => appointmentId}
      actions={useActions(list)}
      empty={{
        text: texts.empty,
        hint: patientId === undefined ? texts.emptyDay : texts.emptyPatient,
        icon: <EventBusyOutlinedIcon />,
        action: (
          <Button
            look="primary"
            to={newAppointment({ ...(patientId && { patient: patientId }), ...(date && { date }) })}
          >
            {texts.new}
          </Button>
        ),
      }}
    />
  );
}

const nameOf = ({ patient }: AppointmentRow) => `${patient.firstName} ${patient.lastName}`;

function columnsFor(zone: string, currency: string, withPatient: boolean): Column<AppointmentRow>[] {
  const { columns } = texts;
  const when: Column<AppointmentRow> = {
    header: columns.when,
    sort: 'startDate',
    cell: (row) => {
      const start = formatDateTime(row.startDate, zone, ownZone());
      return (
        <Link
          component={RouterLink}
          to={to.appointmentEdit({ patient: row.patientId, id: row.appointmentId })}
          aria-label={texts.edit(start, nameOf(row))}
          sx={row.cancelled ? { textDecoration: 'line-through' } : {}}
        >
          {row.cancelled ? (
            <s>
              <When>{start}</When>
            </s>
          ) : (
            <When>{start}</When>
          )}
        </Link>
      );
    },
  };
  const patient: Column<AppointmentRow> = {
    header: columns.patient,
    sort: 'patient',
    cell: ({ patientId, patient: { firstName, lastName } }) => (
      <Link component={RouterLink} to={to.patientEdit({ id: patientId })}>
        {lastName}, {firstName}
      </Link>
    ),
  };
  return [
    when,
    ...(withPatient ? [patient] : []),
    {
      header: columns.doctor,
      sort: 'doctor',
      cell: ({ doctor }) => `${doctor.firstName} ${doctor.lastName.slice(0, 1)}.`,
    },
    {
      header: columns.status,
      cell: (row) => (
        <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
          <StatusBadge status={row.status} statusTooltip={row.statusTooltip} />
          {row.undelivered && <Undelivered />}
        </Box>
      ),
    },
    { header: columns.duration, sort: 'duration', align: 'right', cell: ({ duration }) => durationText(duration) },
    {
      header: columns.collected,
      sort: 'collected',
      align: 'right',
      cell: ({ collected }) => formatMoney(collected, currency),
    },
  ];
}

/** No message has reached the patient; staff have to call. */
function Undelivered() {
  return (
    <Tooltip title={texts.undelivered}>
      <Box
        component="span"
        role="img"
        aria-label={texts.undelivered}
        tabIndex={0}
        sx={{ ml: 1, verticalAlign: 'middle' }}
      >
        <UnsubscribeOutlinedIcon fontSize="small" aria-hidden sx={{ color: 'error.main', verticalAlign: 'middle' }} />
      </Box>
    </Tooltip>
  );
}

/**
 * LIST-17 to LIST-20. An appointment that is over has neither invitation nor room: a visit that was ended by mistake is entered
 * again from its own page (record 006).
 */
function useActions(list: List<AppointmentRow>) {
  const invite = useInvitation();
  const zone = useCompany()?.timeZone ?? ownZone();
  const remove = useDelete(deleteAppointment, list, {
    input: ({ appointmentId }) => ({ params: { appointmentId } }),
    isSame: (a, b) => a.appointmentId === b.appointmentId,
    details: (row) => [nameOf(row), whenIs(row.startDate, zone), texts.removeNotice],
    success: texts.removed,
  });
  return (row: AppointmentRow) => {
    const name = nameOf(row);
    const isWaiting = row.patientPresent !== null;
    const enter = isWaiting ? texts.waiting : texts.enter;
    return (
      <>
        {mayInvite(row, now()) && (
          <Tooltip title={texts.invite}>
            <IconButton aria-label={texts.inviteFor(name)} onClick={() => void invite(row)}>
              <ForwardToInboxOutlinedIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        {!isOver(row, now()) && (
          <Tooltip title={enter}>
            <IconButton
              aria-label={texts.enterFor(enter, name)}
              component={RouterLink}
              to={to.appointment({ uid: row.appointmentUid })}
              color={isWaiting ? 'warning' : 'default'}
            >
              <VideocamOutlinedIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
        {mayDelete(row) && (
          <Tooltip title={texts.remove}>
            <IconButton aria-label={texts.removeFor(name)} onClick={() => void remove(row)}>
              <DeleteOutlinedIcon fontSize="small" />
            </IconButton>
          </Tooltip>
        )}
      </>
    );
  };
}
