import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { changesPresence } from '@roomside/contract/room/messages.ts';
import { date as dateShape, hhmm } from '@roomside/contract/shape.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { Navigate, useParams, useSearchParams } from 'react-router';
import type { InputOf } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { hub } from '../../hub/hub.ts';
import { to } from '../../paths.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { AppointmentEditor } from './AppointmentEditor.tsx';
import { texts } from './edit-texts.ts';

const isId = (text: string) => /^\d{1,15}$/.test(text);

/** The values that a link to a new appointment may carry: provider and day (`newAppointment`). */
function wishesOf(wished: URLSearchParams): { doctor?: number; date?: string } {
  const doctor = wished.get('doctor') ?? '';
  const { success, data: date } = dateShape.safeParse(wished.get('date'));
  return { ...(isId(doctor) && { doctor: Number(doctor) }), ...(success && { date }) };
}

/** /appointment-edit/{patient}/{id} and /appointment-edit/{date}/{time}/{doctor}; id 0 = new (APPT-1, ROUTE-5). */
export function AppointmentEditPage() {
  const { patient = '', id = '', date = '', time = '', doctor = '' } = useParams();
  const [wished] = useSearchParams();
  const isSlot = dateShape.safeParse(date).success && hhmm.safeParse(time).success && isId(doctor);
  if (!isSlot && !(isId(patient) && isId(id))) return <Navigate to={to.notFound()} replace />;
  const appointmentId = Number(id);
  const query = isSlot
    ? { date, time, doctor: Number(doctor) }
    : appointmentId === 0
      ? { patient: Number(patient), ...wishesOf(wished) }
      : {};
  const input: InputOf<typeof getAppointment> = { params: { appointmentId }, query };
  return <Loaded key={JSON.stringify(input)} input={input} />;
}

function Loaded({ input }: { input: InputOf<typeof getAppointment> }) {
  const client = useQueryClient();
  const read = useRead(getAppointment, input, { staleTime: 0 });
  const isNew = input.params.appointmentId === 0;
  const uid = read.data && normalizeUid(read.data.appointmentUid);
  // A peer came or left: the page shows who is in the room. Other rooms of the clinic do not matter.
  const listen = useEffectEvent<Parameters<typeof hub.onNotify>[0]>(({ type, session }) => {
    if (changesPresence(type) && (uid === undefined || session === uid)) void invalidate(client, [getAppointment]);
  });
  useEffect(() => (isNew ? undefined : hub.onNotify((...args) => listen(...args))), [isNew]);
  // The form needs a fresh result; a cached one would only lead to a conflict.
  if (read.isFetchedAfterMount && read.data) return <AppointmentEditor live={read.data} input={input} />;
  return (
    <Page title={isNew ? texts.newTitle : texts.title} width="form">
      {read.error ? (
        <LoadError error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <FormSkeleton sections={[4, 2, 2]} />
      )}
    </Page>
  );
}
