import { type BookableStart, listBookingSlots } from '@roomside/contract/booking/calls.ts';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { send } from '../../api/send.ts';
import { readKey } from '../../api/use-call.ts';
import { FreeTimes } from './FreeTimes.tsx';
import { monthOf, rangesOf } from './free-times.ts';
import { retryFailed, TimesError } from './TimesError.tsx';

interface Props {
  companyUid: string;
  doctorId: number;
  bounds: { from: string; to: string };
  clinicZone: string;
  busy: string | null;
  onPick: (start: BookableStart) => void;
  nothing: ReactNode;
}

/** The available days and times of one provider or of any. */
export function WhenStep({ companyUid, doctorId, bounds, ...rest }: Props) {
  const [month, setMonth] = useState(monthOf(bounds.from));
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
