import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isRefusal } from './problem.ts';
import { useSignIn } from './sign-in.ts';
import { isClinicStaff } from './sign-in-state.ts';
import { invalidate, useRead } from './use-call.ts';
import type { Company } from './use-company.ts';

/** Why the clinic's pages are closed to its staff: a missing second factor, or the company's license has expired. */
type Closed = { why: 'factor' } | { why: 'license'; company: Company };

const useStaffSignIn = () => {
  const isStaff = isClinicStaff(useSignIn());
  const { data } = useRead(getSignIn, undefined, { enabled: isStaff, staleTime: 60_000 });
  return isStaff ? data : undefined;
};

/** Undefined = the pages are open, or it is not known yet. */
export function useClosed(): Closed | undefined {
  const signIn = useStaffSignIn();
  if (signIn?.lacksFactor?.isDue) return { why: 'factor' };
  return signIn?.company?.expired ? { why: 'license', company: signIn.company } : undefined;
}

/** True for staff of a company whose pages are not closed: they see the waiting room and arrivals (MENU-4, STATE-6). */
export function useIsClinicOpen(): boolean {
  const isStaff = isClinicStaff(useSignIn());
  return useClosed() === undefined && isStaff;
}

/** The day (YYYY-MM-DD) from which the signed-in user will need the second factor that they lack. */
export function useFactorDay(): string | undefined {
  const lacks = useStaffSignIn()?.lacksFactor;
  return lacks && !lacks.isDue ? lacks.from : undefined;
}

/** Reads the sign-in again when a read is refused because the pages were closed since. */
export function useClosingWatch(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        const { error } = event.action;
        if (isRefusal(error, 'license-expired') || isRefusal(error, 'second-factor-required'))
          void invalidate(client, [getSignIn]);
      }),
    [client],
  );
}
