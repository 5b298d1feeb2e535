import { getTeleappointment, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { holdIdle, noteInput } from '../../../api/idle.ts';
import { send } from '../../../api/send.ts';
import { hub } from '../../../hub/hub.ts';
import type { Notice } from '../call/room-view.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../core/store.ts';
import { createRoom, type Room } from '../create-room.ts';
import type { DeviceChange } from '../media/device-list.ts';
import type { DeviceAnswer } from '../media/device-return.ts';

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

interface Options {
  visit: Teleappointment;
  clock: Clock;
  isPatient: boolean;
  userId: number | null;
  onNotice: (notice: Notice) => void;
  onMessage: (name: string, text: string) => void;
  onDevice: (answer: DeviceAnswer, change: DeviceChange) => void;
  /** The hub was closed for good, or the sign-in refused: reads the visit again, which shows whether the sign-in is valid. */
  onCut: () => void;
}

/** TURN credentials last an hour; renewed halfway, so that a late call has enough left, ms. */
const renewIntervalMs = 30 * 60_000;
/** Interval at which other tabs of this browser learn that the user is present, ms. */
const presenceIntervalMs = 60_000;

/** Returns the room of a visit while its page is shown; undefined before the first effect. */
export function useRoom(options: Options): Room | undefined {
  const [room, setRoom] = useState<Room>();
  const uid = options.visit.appointment.appointmentUid;
  const onNotice = useEffectEvent(options.onNotice);
  const onMessage = useEffectEvent(options.onMessage);
  const onDevice = useEffectEvent(options.onDevice);
  const onCut = useEffectEvent(options.onCut);
  const make = useEffectEvent(() =>
    createRoom({
      ...options,
      onNotice: (notice) => onNotice(notice),
      onMessage: (name, text) => onMessage(name, text),
      onDevice: (answer, change) => onDevice(answer, change),
      onCut: () => onCut(),
    }),
  );

  useEffect(() => {
    const made = make();
    setRoom(made);
    made.devices.start();
    made.session.start();
    const stopCut = hub.onState(() => {
      const isOver = made.session.view.get().phase.name === 'over';
      if (hub.getState().status === 'disconnected' && !isOver) onCut();
    });
    const renew = setInterval(() => {
      void send(getTeleappointment, { params: { uid } }).then(
        ({ iceServers }) => made.renew(iceServers),
        () => undefined,
      );
    }, renewIntervalMs);
    return () => {
      stopCut();
      made.devices.stop();
      clearInterval(renew);
      void made.session.leave();
    };
  }, [uid]);
  return room;
}

/** During a visit there is no sign-out for inactivity, and the screen stays on. */
export function useStayAwake(live: boolean): void {
  useEffect(() => {
    if (!live) return;
    const release = holdIdle();
    const present = setInterval(noteInput, presenceIntervalMs);
    let lock: WakeLockSentinel | undefined;
    let done = false;
    const keepOn = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      const got = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (done) void got?.release();
      else lock = got;
    };
    // The browser releases the wake lock when the page is hidden.
    const listener = () => void keepOn();
    document.addEventListener('visibilitychange', listener);
    listener();
    return () => {
      done = true;
      clearInterval(present);
      document.removeEventListener('visibilitychange', listener);
      void lock?.release();
      release();
    };
  }, [live]);
}

/** True while a media query holds. */
export function useQueryMatch(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
