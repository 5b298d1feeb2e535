import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { holdIdle, noteInput } from '../../../api/idle.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../core/store.ts';
import { createRoom, type Room, type RoomEvents } from '../create-room.ts';
import { keepRunning, takeRunning } from '../running-visit.ts';
import { closePip } from './pip.ts';

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

interface Options extends RoomEvents {
  visit: Teleappointment;
  clock: Clock;
  isPatient: boolean;
  userId: number | null;
}

/** Interval at which other tabs of this browser learn that the user is present, ms. */
const presenceIntervalMs = 60_000;

/**
 * Returns the room of a visit while its page is shown; undefined before the first effect. When staff open another page, the visit goes
 * on there (RunningVisit).
 */
export function useRoom(options: Options): Room | undefined {
  const [room, setRoom] = useState<Room>();
  const uid = options.visit.appointment.appointmentUid;
  const onNotice = useEffectEvent(options.onNotice);
  const onMessage = useEffectEvent(options.onMessage);
  const onDevice = useEffectEvent(options.onDevice);
  const onRecording = useEffectEvent(options.onRecording);
  const onCut = useEffectEvent(options.onCut);
  const onWaitingChanged = useEffectEvent(options.onWaitingChanged);
  const onReturned = useEffectEvent(options.onReturned);
  const make = useEffectEvent(() => createRoom(options));
  const keep = useEffectEvent((made: Room) => {
    const { visit, clock, isPatient } = options;
    return !isPatient && keepRunning({ visit, clock, room: made, onLeft: closePip });
  });

  useEffect(() => {
    const running = takeRunning(uid);
    const made = running ?? make();
    setRoom(made);
    const stop = made.listen({
      onNotice: (notice) => onNotice(notice),
      onMessage: (name, text) => onMessage(name, text),
      onDevice: (answer, change) => onDevice(answer, change),
      onRecording: (notice) => onRecording(notice),
      onCut: () => onCut(),
      onWaitingChanged: () => onWaitingChanged(),
      onReturned: () => onReturned(),
    });
    if (!running) made.start();
    return () => {
      stop();
      if (keep(made)) return;
      closePip();
      void made.leave();
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
