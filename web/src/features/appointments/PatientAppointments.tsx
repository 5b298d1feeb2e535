import AddIcon from '@mui/icons-material/Add';
import { Box } from '@mui/material';
import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import { useListState } from '../../list/list-state.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { AppointmentTable } from './AppointmentTable.tsx';
import { texts } from './texts.ts';

/** A patient's appointments, latest first, below their record (PATIENT-3). */
export function PatientAppointments({ patientId }: { patientId: number }) {
  const state = useListState('patient-appointments', { pageSize: 10, scope: String(patientId) });
  const list = useList(listAppointments, state, { patientId });
  return (
    <Section title={texts.title} tools={<RefreshButton onRefresh={state.refresh} />}>
      <AppointmentTable list={list} patientId={patientId} />
      {list.rows !== undefined && list.rows.length > 0 && (
        <Box>
          <Button look="quiet" startIcon={<AddIcon />} to={to.appointmentEdit({ patient: patientId, id: 0 })}>
            {texts.new}
          </Button>
        </Box>
      )}
    </Section>
  );
}
