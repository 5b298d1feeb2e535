import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { useEffect, useState } from 'react';
import { StaffTheme } from '../../../ui/StaffTheme.tsx';
import { LocalMedia } from '../media/local-media.ts';
import { DeviceCheckDialog } from './DeviceCheckDialog.tsx';
import { useDeviceCheck } from './use-device-check.ts';

interface Props {
  visit: Teleappointment;
  onClose: () => void;
}

/** The check of the device before the room is open: camera and microphone run only while it is shown. */
export function EarlyCheck({ visit, onClose }: Props) {
  const [media] = useState(() => new LocalMedia(navigator.mediaDevices, undefined, undefined, navigator.permissions));
  const checking = useDeviceCheck({ visit, media, isOn: true, isReported: true });
  useEffect(() => {
    void media.start();
    return () => media.stop();
  }, [media]);
  return (
    <StaffTheme>
      <DeviceCheckDialog media={media} checking={checking} onClose={onClose} />
    </StaffTheme>
  );
}
