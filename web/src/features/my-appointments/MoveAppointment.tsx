import { listMySlots, moveMyAppointment, type UpcomingAppointment } from '@roomside/contract/my-appointments/calls.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, readKey } from '../../api/use-call.ts';
import { monthOf, rangesOf } from '../../time/months.ts';
import { dateOf, ownZone } from '../../time/time.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { FreeTimes } from '../booking/FreeTimes.tsx';
import { TakenNotice } from '../booking/TakenNotice.tsx';
import { retryFailed, TimesError } from '../booking/TimesError.tsx';
import { Visit } from '../booking/Visit.tsx';
import type { MyAppointments } from './my-appointments.ts';
import { texts } from './texts.ts';
import '../booking/booking.css';

const words = texts.moving;

interface Props {
  visits: MyAppointments;
  visit: UpcomingAppointment;
  onDone: (next?: { said?: string; wrong?: string }) => void;
}

/** Picks a new time with the same provider. */
export function MoveAppointment({ visits, visit, onDone }: Props) {
  const client = useQueryClient();
  const { appointmentUid: uid, startDate, version, doctor } = visit;
  const bounds = { from: visits.firstDay, to: visits.lastDay };
  const [month, setMonth] = useState(() => {
    // The days of the picker are the reader's.
    const ofVisit = monthOf(dateOf(startDate, ownZone()));
    const [first, last] = [monthOf(bounds.from), monthOf(bounds.to)];
    // Staff book further ahead than patients.
    return ofVisit < first ? first : ofVisit > last ? last : ofVisit;
  });
  const [busy, setBusy] = useState<string | null>(null);
  const [taken, setTaken] = useState<TakenSlot['free']>();
  const answers = useQueries({
    queries: rangesOf(month, bounds).map((query) => {
      const input = { params: { uid }, query };
      return {
        queryKey: readKey(listMySlots, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => send(listMySlots, input, { signal }),
        staleTime: 15_000,
      };
    }),
  });
  const starts = answers.flatMap(({ data }) => data?.data ?? []).filter((start) => start.startDate !== startDate);

  async function move(next: string) {
    setBusy(next);
    setTaken(undefined);
    try {
      await send(moveMyAppointment, { params: { uid }, body: { startDate: next, version } });
      onDone({ said: words.moved });
    } catch (error) {
      if (isRefusal(error, 'slot-taken')) {
        setTaken((error.current as TakenSlot | undefined)?.free ?? []);
        void invalidate(client, [listMySlots]);
      } else onDone({ wrong: isRefusal(error, 'stale') ? words.stale : wordsFor(error) });
      setBusy(null);
    }
  }

  const failed = answers.find(({ error, data }) => error && !data);
  return (
    <Page eyebrow={visits.companyName} title={words.title} className="bk-page bk-wide">
      <Visit startDate={startDate} clinicZone={visits.timeZone} doctor={fullName(doctor)} />
      {taken && (
        <TakenNotice
          free={taken}
          clinicZone={visits.timeZone}
          busy={busy}
          onPick={(start) => void move(start.startDate)}
        />
      )}
      {failed ? (
        <TimesError error={failed.error} onRetry={() => retryFailed(answers)} />
      ) : (
        <FreeTimes
          starts={starts}
          complete={answers.every(({ data }) => data !== undefined)}
          month={month}
          onMonth={setMonth}
          bounds={bounds}
          clinicZone={visits.timeZone}
          busy={busy}
          onPick={(start) => void move(start.startDate)}
          nothing={<p className="rs-text">{words.none}</p>}
        />
      )}
      <Button look="quiet" onClick={() => onDone()}>
        {words.back}
      </Button>
    </Page>
  );
}
