import { lazy, Suspense } from 'react';
import { toast } from '../../../ui/toast.ts';
import type { Room } from '../create-room.ts';
import { texts } from '../texts.ts';
import { DeviceDialog } from './DeviceDialog.tsx';
import { resize } from './PersonMenu.tsx';
import { ResolutionMenu } from './ResolutionMenu.tsx';
import type { DeviceChecking } from './use-device-check.ts';
import { useStore } from './use-room.ts';

/** Loaded when it is opened first. */
const SettingsDialog = lazy(async () => ({ default: (await import('./SettingsDialog.tsx')).SettingsDialog }));

const DeviceCheckDialog = lazy(async () => ({
  default: (await import('./DeviceCheckDialog.tsx')).DeviceCheckDialog,
}));

/** The dialog or menu that a tool has opened. */
export type OpenDialog = { name: 'settings' | 'check' } | { name: 'resolution'; at: HTMLElement | null } | undefined;

interface Props {
  room: Room;
  isPatient: boolean;
  patientName: string;
  dialog: OpenDialog;
  checking: DeviceChecking;
  onClose: () => void;
}

/** The dialogs of the room: what is wrong with the camera, settings, the patient's resolution. */
export function RoomDialogs({ room, isPatient, patientName, dialog, checking, onClose }: Props) {
  const { people } = useStore(room.session.view);
  const patients = people.filter(({ isStaff }) => !isStaff);
  return (
    <>
      <DeviceDialog media={room.media} />
      <ResolutionMenu
        at={dialog?.name === 'resolution' ? dialog.at : null}
        name={patientName}
        onChoose={(size) => {
          Promise.all(patients.map((person) => resize(room.session, person, size))).catch(() =>
            toast.error(texts.person.failed),
          );
        }}
        onClose={onClose}
      />
      {dialog?.name === 'check' && (
        <Suspense>
          <DeviceCheckDialog media={room.media} checking={checking} onClose={onClose} />
        </Suspense>
      )}
      {dialog?.name === 'settings' && (
        <Suspense>
          <SettingsDialog media={room.media} devices={room.devices} mayResize={!isPatient} onClose={onClose} />
        </Suspense>
      )}
    </>
  );
}
