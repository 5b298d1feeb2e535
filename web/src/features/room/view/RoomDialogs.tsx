import { useEffect } from 'react';
import { later } from '../../../ui/later.tsx';
import type { Room } from '../create-room.ts';
import type { DeviceChecking } from './use-device-check.ts';
import { useStore } from './use-room.ts';

/** Loaded when they are opened first. */
const DeviceDialog = later(async () => (await import('./DeviceDialog.tsx')).DeviceDialog);
const SettingsDialog = later(async () => (await import('./SettingsDialog.tsx')).SettingsDialog);
const DeviceCheckDialog = later(async () => (await import('./DeviceCheckDialog.tsx')).DeviceCheckDialog);

const ResolutionMenu = later(async () => (await import('./ResolutionMenu.tsx')).ResolutionMenu);

const InviteDialog = later(async () => (await import('./InviteDialog.tsx')).InviteDialog);

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
    if (!isPatient) void ResolutionMenu.preload().catch(() => undefined);
  }, [isPatient]);
  const { device } = useStore(room.media.view);
  const hasProblem = !['idle', 'asking', 'live', 'without'].includes(device.status);
  return (
    <>
      {hasProblem && <DeviceDialog media={room.media} />}
      {dialog?.name === 'resolution' && (
        <ResolutionMenu session={room.session} at={dialog.at} name={patientName} onClose={onClose} />
      )}
      {dialog?.name === 'check' && <DeviceCheckDialog media={room.media} checking={checking} onClose={onClose} />}
      {dialog?.name === 'invite' && <InviteDialog uid={uid} people={people} onClose={onClose} />}
      {dialog?.name === 'settings' && (
        <SettingsDialog media={room.media} devices={room.devices} mayResize={!isPatient} onClose={onClose} />
      )}
    </>
  );
}
