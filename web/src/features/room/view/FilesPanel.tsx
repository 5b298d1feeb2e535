import { PatientFiles, StaffFiles } from '../../files/FileList.tsx';
import { texts } from '../../files/texts.ts';
import type { Room } from '../create-room.ts';
import { PanelFrame } from './PanelFrame.tsx';
import { TransferList } from './TransferList.tsx';

interface Props {
  room: Room;
  appointmentId: number;
  patientId: number;
  session: string;
  isPatient: boolean;
  overlay: boolean;
  onClose: () => void;
}

/** The files of the visit: staff upload and share, the patient downloads (ROLE-2). */
export function FilesPanel({ room, appointmentId, patientId, session, isPatient, overlay, onClose }: Props) {
  return (
    <PanelFrame
      tool="files"
      title={texts.title}
      closeLabel={texts.close}
      side="right"
      overlay={overlay}
      onClose={onClose}
    >
      <div className="room-files">
        {isPatient ? (
          <>
            <TransferList room={room} isPatient />
            <PatientFiles appointmentId={appointmentId} session={session} />
          </>
        ) : (
          <>
            <StaffFiles appointmentId={appointmentId} patientId={patientId} session={session} />
            <TransferList room={room} isPatient={false} />
          </>
        )}
      </div>
    </PanelFrame>
  );
}
