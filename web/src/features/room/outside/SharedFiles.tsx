import { listFiles } from '@roomside/contract/files/calls.ts';
import { useRead } from '../../../api/use-call.ts';
import { later } from '../../../ui/later.tsx';
import { texts } from '../../files/texts.ts';

/** Loaded when there is a file. */
const PatientFiles = later(async () => (await import('../../files/FileList.tsx')).PatientFiles);

interface Props {
  visit: { appointmentId: number; appointmentUid: string };
}

/** What the clinic has shared with the patient, before and after the visit; nothing when there is nothing. */
export function SharedFiles({ visit: { appointmentId, appointmentUid } }: Props) {
  const { data } = useRead(listFiles, { params: { appointmentId } });
  if (!data || data.data.length === 0) return null;
  return (
    <section className="visit-files" aria-label={texts.ofClinic}>
      <h2>{texts.ofClinic}</h2>
      <PatientFiles appointmentId={appointmentId} session={appointmentUid} />
    </section>
  );
}
