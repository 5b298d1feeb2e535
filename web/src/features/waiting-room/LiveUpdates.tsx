import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import { listBookingRequests } from '@roomside/contract/booking/calls.ts';
import type { ArrivalInfo } from '@roomside/contract/room/messages.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { getArrivedCount, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { currentSignIn, useSignIn } from '../../api/sign-in.ts';
import { isClinicStaff, personOf } from '../../api/sign-in-state.ts';
import { invalidate } from '../../api/use-call.ts';
import { hub } from '../../hub/hub.ts';
import { playNotification } from '../../ui/sound.ts';
import { ArrivalSheet } from './ArrivalSheet.tsx';
import { handleNotify } from './handle-notify.ts';

/** What a change of somebody's presence makes untrue. */
const presence = [getArrivedCount, listArrived, listAppointments];
/** What a change of the schedule makes untrue. */
const schedule = [listSchedule, listSlots, listAppointments, listBookingRequests];
/** Changes come in flocks, e.g. from an import; what they made untrue is asked for once, ms. */
const flockMs = 300;

/** For staff of a company, on every page: what the live connection brings (STATE-5), and the arrival sheet. */
export function LiveUpdates() {
  const session = useSignIn();
  // Another person's arrivals are not theirs.
  return isClinicStaff(session) ? <Listener key={personOf(session)} /> : null;
}

function Listener() {
  const client = useQueryClient();
  const { pathname } = useLocation();
  const [arrivals, setArrivals] = useState<readonly ArrivalInfo[]>([]);

  const soon = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshSchedule = useEffectEvent(() => {
    soon.current ??= setTimeout(() => {
      soon.current = undefined;
      void invalidate(client, schedule);
    }, flockMs);
  });
  const refresh = useEffectEvent(() => {
    void invalidate(client, presence);
    refreshSchedule();
  });
  const refetch = useEffectEvent(() => void client.invalidateQueries());
  const listen = useEffectEvent<Parameters<typeof hub.onNotify>[0]>((message, sender) => {
    const {
      refresh: wanted,
      schedule: changed,
      arrival,
      gone,
    } = handleNotify(message, sender, currentSignIn(), pathname);
    if (wanted) refresh();
    else if (changed) refreshSchedule();
    if (gone) setArrivals((all) => all.filter(({ appointmentUid }) => appointmentUid !== gone));
    if (!arrival) return;
    playNotification();
    setArrivals((all) => [...all.filter(({ appointmentUid: uid }) => uid !== arrival.appointmentUid), arrival]);
  });

  useEffect(() => {
    const stopListening = hub.onNotify((message, sender) => listen(message, sender));
    // What was pushed while there was no connection is asked for once it is back: all that is open, after a real gap.
    let hasBeen = false;
    const stopWatching = hub.onState(() => {
      if (hub.getState().status !== 'connected') return;
      refresh();
      if (hasBeen) refetch();
      hasBeen = true;
    });
    return () => {
      stopListening();
      stopWatching();
      clearTimeout(soon.current);
      soon.current = undefined;
    };
  }, []);

  return (
    <ArrivalSheet arrivals={arrivals} onDone={(done) => setArrivals((all) => all.filter((one) => one !== done))} />
  );
}
