import { lazy, Suspense, useEffect } from 'react';
import type { Room } from '../create-room.ts';
import type { DeviceChecking } from './use-device-check.ts';
import { useStore } from './use-room.ts';

/** Loaded when they are opened first. */
const DeviceDialog = lazy(async () => ({ default: (await import('./DeviceDialog.tsx')).DeviceDialog }));
const SettingsDialog = lazy(async () => ({ default: (await import('./SettingsDialog.tsx')).SettingsDialog }));
const DeviceCheckDialog = lazy(async () => ({
  default: (await import('./DeviceCheckDialog.tsx')).DeviceCheckDialog,
}));

const loadResolutionMenu = async () => ({ default: (await import('./ResolutionMenu.tsx')).ResolutionMenu });
const ResolutionMenu = lazy(loadResolutionMenu);

const InviteDialog = lazy(async () => ({ default: (await import('./InviteDialog.tsx')).InviteDialog }));

/** The dialog or menu that a tool has opened. */
export type OpenDialog =
  | { name: 'settings' | 'check' | 'invite' }
  | { name: 'resolution'; at: HTMLElement | null }
  | undefined;

interface Props {
  room: Room;
  uid: string;
  isPatient: boolean;
  patientName: string;
  dialog: OpenDialog;
  checking: DeviceChecking;
  onClose: () => void;
}

/** The dialogs of the room: what is wrong with the camera, settings, the patient's resolution. */
export function RoomDialogs({ room, uid, isPatient, patientName, dialog, checking, onClose }: Props) {
  const { people } = useStore(room.session.view);
  useEffect(() => {
    // Staff often need it; a failure is shown when it is opened.
    if (!isPatient) void loadResolutionMenu().catch(() => undefined);
  }, [isPatient]);
  const { device } = useStore(room.media.view);
  const hasProblem = !['idle', 'asking', 'live', 'without'].includes(device.status);
  return (
    <>
      <Suspense>{hasProblem && <DeviceDialog media={room.media} />}</Suspense>
      {dialog?.name === 'resolution' && (
        <Suspense>
          <ResolutionMenu session={room.session} at={dialog.at} name={patientName} onClose={onClose} />
        </Suspense>
      )}
      {dialog?.name === 'check' && (
        <Suspense>
          <DeviceCheckDialog media={room.media} checking={checking} onClose={onClose} />
        </Suspense>
      )}
      {dialog?.name === 'invite' && (
        <Suspense>
          <InviteDialog uid={uid} people={people} onClose={onClose} />
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
