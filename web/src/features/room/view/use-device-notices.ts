import { useEffect } from 'react';
import { toast } from '../../../ui/toast.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { texts } from '../texts.ts';
import { useStore } from './use-room.ts';

/** Says what has happened to the own camera and microphone while the visit goes on. */
export function useDeviceNotices(media: LocalMedia): void {
  const { device, interrupted, blurEnd } = useStore(media.view);
  const noSound = device.status === 'live' && !device.sound;
  const isHeardOnly = device.status === 'lost' && media.hasSound;
  useEffect(() => {
    if (noSound) toast.warning(texts.notices.noMicrophone);
  }, [noSound]);
  useEffect(() => {
    if (isHeardOnly) toast.warning(texts.notices.cameraLost);
  }, [isHeardOnly]);
  useEffect(() => {
    if (blurEnd) toast.warning(texts.notices.blurEnds[blurEnd]);
  }, [blurEnd]);
  useEffect(() => {
    if (interrupted) toast.warning(texts.notices.interrupted, { duration: 10_000 });
  }, [interrupted]);
}
