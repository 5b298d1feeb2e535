import { type BookableStart, listBookingSlots } from '@roomside/contract/booking/calls.ts';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { send } from '../../api/send.ts';
import { readKey } from '../../api/use-call.ts';
import { monthOf, rangesOf } from '../../time/months.ts';
import { dateOf, ownZone } from '../../time/time.ts';
import { FreeTimes } from './FreeTimes.tsx';
import { retryFailed, TimesError } from './TimesError.tsx';

interface Props {
  companyUid: string;
  doctorId: number;
  bounds: { from: string; to: string };
  /** A start that was chosen before: its day is shown first. */
  near?: string | undefined;
  clinicZone: string;
  busy: string | null;
  onPick: (start: BookableStart) => void;
  nothing: ReactNode;
}

/** The month of `near` within the days that can be booked, else their first one. */
function firstMonth({ from, to }: Props['bounds'], near: string | undefined): string {
  const month = near === undefined ? '' : monthOf(dateOf(near, ownZone()));
  return month >= monthOf(from) && month <= monthOf(to) ? month : monthOf(from);
}

/** The available days and times of one provider or of any. */
export function WhenStep({ companyUid, doctorId, bounds, ...rest }: Props) {
  const [month, setMonth] = useState(() => firstMonth(bounds, rest.near));
  const answers = useQueries({
    queries: rangesOf(month, bounds).map((range) => {
      const input = { params: { companyUid }, query: { ...range, doctorId } };
      return {
        queryKey: readKey(listBookingSlots, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => send(listBookingSlots, input, { signal }),
        staleTime: 15_000,
        refetchInterval: 60_000,
      };
    }),
  });
  const failed = answers.find(({ error, data }) => error && !data);
  if (failed) return <TimesError error={failed.error} onRetry={() => retryFailed(answers)} />;
  return (
    <FreeTimes
      {...rest}
      starts={answers.flatMap(({ data }) => data?.data ?? [])}
      complete={answers.every(({ data }) => data !== undefined)}
      month={month}
      onMonth={setMonth}
      bounds={bounds}
    />
  );
}
