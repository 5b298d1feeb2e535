import { useSignIn } from '../../api/sign-in.ts';
import { later } from '../../ui/later.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { texts } from '../../ui/texts.ts';

const loading = () => <Spinner label={texts.loading} />;
const StaffPage = later(async () => (await import('./WaitingRoomPage.tsx')).WaitingRoomPage, loading);
const PatientPage = later(
  async () => (await import('../room/outside/PatientWaitingPage.tsx')).PatientWaitingPage,
  loading,
);

/** /waiting-room shows staff the waiting room, and patients their own visit (ROOM-10). */
export function WaitingRoomRoute() {
  const isPatient = useSignIn().kind === 'patient';
  return isPatient ? <PatientPage /> : <StaffPage />;
}
