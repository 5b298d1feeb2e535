import { lazy, Suspense } from 'react';
import { useSignIn } from '../../api/sign-in.ts';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts } from '../../ui/texts.ts';

const StaffPage = lazy(async () => ({ default: (await import('./WaitingRoomPage.tsx')).WaitingRoomPage }));
const PatientPage = lazy(async () => ({
  default: (await import('../room/outside/PatientWaitingPage.tsx')).PatientWaitingPage,
}));

/** /waiting-room shows staff the waiting room, and patients their own visit (ROOM-10). */
export function WaitingRoomRoute() {
  const isPatient = useSignIn().kind === 'patient';
  return (
    <Suspense fallback={<Spinner label={texts.loading} />}>{isPatient ? <PatientPage /> : <StaffPage />}</Suspense>
  );
}
