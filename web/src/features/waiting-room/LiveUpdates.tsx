import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { listBookingRequests } from '@roomside/contract/booking/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import type { ArrivalInfo } from '@roomside/contract/room/messages.ts';
import { getScheduleSettings, listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { listTimeOff } from '@roomside/contract/time-off/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { getArrivedCount, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { currentSignIn, useSignIn } from '../../api/sign-in.ts';
import { personOf } from '../../api/sign-in-state.ts';
import { invalidate } from '../../api/use-call.ts';
import { useIsClinicOpen } from '../../api/use-closed.ts';
import { hub } from '../../hub/hub.ts';
import { playNotification } from '../../ui/sound.ts';
import { ArrivalSheet } from './ArrivalSheet.tsx';
import { handleNotify, roomOf } from './handle-notify.ts';

/** Calls that show the company's settings, among them the time zone of all pages, and its providers. */
const company = [getSignIn, getScheduleSettings, listDoctors];
/** Calls whose results depend on who is in a room. */
const presence = [getArrivedCount, listArrived, listAppointments];
/** Calls whose results depend on the schedule. */
const schedule = [listSchedule, listSlots, listAppointments, listBookingRequests, listTimeOff];
/** Changes often come together, e.g. from an import; their calls are repeated once after this delay, ms. */
const refreshDelayMs = 300;

/** For staff of a company whose pages are open, on every page: handles pushed messages (STATE-5) and shows the arrival sheet. */
export function LiveUpdates() {
  const signIn = useSignIn();
  // A different person gets a new component without the other's arrivals.
  return useIsClinicOpen() ? <Listener key={personOf(signIn)} /> : null;
}

function Listener() {
  const client = useQueryClient();
  const { pathname } = useLocation();
  const [arrivals, setArrivals] = useState<readonly ArrivalInfo[]>([]);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshSchedule = useEffectEvent(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void invalidate(client, schedule);
    }, refreshDelayMs);
  });
  const refresh = useEffectEvent(() => {
    void invalidate(client, presence);
    refreshSchedule();
  });
  const refreshCompany = useEffectEvent(() => void invalidate(client, company));
  const refetch = useEffectEvent(() => void client.invalidateQueries());
  const checkOpen = useEffectEvent(() => void invalidate(client, [getSignIn]));
  const listen = useEffectEvent<Parameters<typeof hub.onNotify>[0]>((message, sender) => {
    const {
      refresh: wanted,
      schedule: changed,
      company: settings,
      arrival,
      gone,
    } = handleNotify(message, sender, currentSignIn(), pathname);
    if (settings) refreshCompany();
    if (wanted) refresh();
    else if (changed) refreshSchedule();
    if (gone) setArrivals((all) => all.filter(({ appointmentUid }) => appointmentUid !== gone));
    if (!arrival) return;
    playNotification();
    setArrivals((all) => [...all.filter(({ appointmentUid: uid }) => uid !== arrival.appointmentUid), arrival]);
  });

  useEffect(() => {
    const stopListening = hub.onNotify((message, sender) => listen(message, sender));
    // After a reconnect everything that is shown is read again, since pushes may have been missed. What was pushed until the
    // connection joined its groups is read at `joined`.
    let former = hub.getState().status;
    let hasBeen = former === 'connected';
    // `joined` may have come before this component.
    if (hasBeen) {
      refresh();
      refreshCompany();
    }
    const stopWatching = hub.onState(() => {
      const { status } = hub.getState();
      // The server may have closed it because the clinic's pages are closed to this person now. A page that stops it ends the sign-in next.
      if (status === 'disconnected' && former !== 'disconnecting') checkOpen();
      former = status;
      if (status !== 'connected') return;
      if (hasBeen) refetch();
      hasBeen = true;
    });
    // Closed pages have no connection.
    hub.start();
    return () => {
      stopListening();
      stopWatching();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, []);

  // Who opens the patient's room has seen the arrival.
  const opened = roomOf(pathname);
  useEffect(() => {
    if (opened) setArrivals((all) => all.filter(({ appointmentUid }) => normalizeUid(appointmentUid) !== opened));
  }, [opened]);

  return (
    <ArrivalSheet arrivals={arrivals} onDone={(done) => setArrivals((all) => all.filter((one) => one !== done))} />
  );
}
