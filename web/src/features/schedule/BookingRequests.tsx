import { Box, Card, Link, Typography } from '@mui/material';
import { type BookingRequest, closeBookingRequest, listBookingRequests } from '@roomside/contract/booking/calls.ts';
import { memo } from 'react';
import { Link as RouterLink } from 'react-router';
import { useChange, useRead } from '../../api/use-call.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { newAppointment, to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { formatPhone } from '../../ui/phone.ts';
import { texts } from './texts.ts';

/** Time requests of patients; renders nothing when there are none. */
export const BookingRequests = memo(function BookingRequests() {
  const read = useRead(listBookingRequests);
  const requests = read.data?.data ?? [];
  if (requests.length === 0) return null;
  return (
    <Box component="section" aria-labelledby="sch-requests" sx={{ display: 'grid', gap: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="h3" component="h2" id="sch-requests">
          {texts.requests(requests.length)}
        </Typography>
        <RefreshButton label={texts.refreshRequests} onRefresh={() => void read.refetch()} />
      </Box>
      <Typography variant="caption" color="textSecondary">
        {texts.requestsHint}
      </Typography>
      <Box component="ul" sx={{ display: 'grid', gap: 1, m: 0, p: 0, listStyle: 'none' }}>
        {requests.map((request) => (
          <li key={request.requestId}>
            <Request request={request} />
          </li>
        ))}
      </Box>
    </Box>
  );
});

function Request({ request }: { request: BookingRequest }) {
  const { requestId, patientId, patient, doctor, wish, phone, email } = request;
  const close = useChange(closeBookingRequest, { invalidates: [listBookingRequests], success: texts.closed });
  const name = `${patient.firstName} ${patient.lastName}`;
  return (
    <Card sx={{ p: 1.5, display: 'grid', gap: 0.5, overflowWrap: 'anywhere', fontSize: 'var(--rs-size-md)' }}>
      <Link component={RouterLink} to={to.patientEdit({ id: patientId })} sx={contact}>
        {name}
      </Link>
      <Box component="span" sx={{ whiteSpace: 'pre-line' }}>
        {wish}
      </Box>
      {doctor && (
        <Typography variant="caption" color="textSecondary">
          {texts.wishes(`${doctor.firstName} ${doctor.lastName}`)}
        </Typography>
      )}
      {phone && (
        <Link href={`tel:+1${phone}`} sx={contact}>
          {formatPhone(phone)}
        </Link>
      )}
      {email && (
        <Link href={`mailto:${email}`} sx={contact}>
          {email}
        </Link>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
        <Button
          look="secondary"
          to={newAppointment({ patient: patientId, ...(doctor && { doctor: doctor.userId }) })}
          aria-label={texts.makeAppointmentFor(name)}
          sx={{ px: 1.5 }}
        >
          {texts.makeAppointment}
        </Button>
        <Button
          look="quiet"
          aria-label={texts.doneWith(name)}
          disabled={close.isPending}
          onClick={() => close.mutate({ params: { requestId } })}
          sx={{ px: 1.5 }}
        >
          {texts.done}
        </Button>
      </Box>
    </Card>
  );
}

/** Larger targets on touch screens. */
const contact = { py: { xs: 1.5, md: 0.5 } } as const;
