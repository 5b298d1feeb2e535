import { useEffect, useRef } from 'react';
import { toast } from '../../../ui/toast.ts';
import type { LocalMedia } from '../media/local-media.ts';
import { texts } from '../texts.ts';
import { useStore } from './use-room.ts';
import { turnOnSound } from './use-room-tools.tsx';

/** Says what has happened to the own camera and microphone while the visit goes on. */
export function useDeviceNotices(media: LocalMedia): void {
  const { device, interrupted, cameraInterrupted, blurEnd } = useStore(media.view);
  const { status } = device;
  const sound = 'sound' in device ? device.sound : undefined;
  const hadSound = useRef(false);
  const isHeardOnly = device.status === 'lost' && media.hasSound;
  useEffect(() => {
    if (sound === undefined) return;
    // Who continues without any device knows it.
    const isNews = !sound && (status === 'live' || hadSound.current);
    hadSound.current = sound;
    if (!isNews) return;
    const action = { label: texts.notices.unmute, run: () => void turnOnSound(media) };
    toast.warning(status === 'live' ? texts.notices.noMicrophone : texts.notices.noDevice, { action });
  }, [status, sound, media]);
  useEffect(() => {
    if (isHeardOnly) toast.warning(texts.notices.cameraLost);
  }, [isHeardOnly]);
  useEffect(() => {
    if (blurEnd) toast.warning(texts.notices.blurEnds[blurEnd]);
  }, [blurEnd]);
  useEffect(() => {
    if (interrupted) toast.warning(texts.notices.interrupted, { duration: 10_000 });
  }, [interrupted]);
  useEffect(() => {
    if (cameraInterrupted) toast.warning(texts.notices.cameraInterrupted, { duration: 10_000 });
  }, [cameraInterrupted]);
}
