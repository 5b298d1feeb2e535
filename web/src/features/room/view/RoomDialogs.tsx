import { lazy, Suspense } from 'react';
import { toast } from '../../../ui/toast.ts';
import type { Room } from '../create-room.ts';
import { texts } from '../texts.ts';
import { resize } from './PersonMenu.tsx';
import type { DeviceChecking } from './use-device-check.ts';
import { useStore } from './use-room.ts';

/** Each is loaded when it is opened first. */
const DeviceDialog = lazy(async () => ({ default: (await import('./DeviceDialog.tsx')).DeviceDialog }));
const ResolutionMenu = lazy(async () => ({ default: (await import('./ResolutionMenu.tsx')).ResolutionMenu }));
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
  const { device } = useStore(room.media.view);
  const patients = people.filter(({ isStaff }) => !isStaff);
  return (
    <>
      {Object.hasOwn(texts.device.problems, device.status) && (
        <Suspense>
          <DeviceDialog media={room.media} />
        </Suspense>
      )}
      {dialog?.name === 'resolution' && (
        <Suspense>
          <ResolutionMenu
            at={dialog.at}
            name={patientName}
            onChoose={(size) => {
              Promise.all(patients.map((person) => resize(room.session, person, size))).catch(() =>
                toast.error(texts.person.failed),
              );
            }}
            onClose={onClose}
          />
        </Suspense>
      )}
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
