import { getSession } from '@roomside/contract/auth/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isRefusal } from '../api/problem.ts';
import { useSignIn } from '../api/sign-in.ts';
import { isClinicStaff } from '../api/sign-in-state.ts';
import { invalidate, useRead } from '../api/use-call.ts';
import type { Company } from '../api/use-company.ts';

/** The company of the signed-in staff if its license has expired. */
export function useExpiredCompany(): Company | undefined {
  const isStaff = isClinicStaff(useSignIn());
  const company = useRead(getSession, undefined, { enabled: isStaff, staleTime: 60_000 }).data?.company;
  return isStaff && company?.expired ? company : undefined;
}

/** Reads the session again when a read is refused because the license has expired since. */
export function useExpiryWatch(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        if (isRefusal(event.action.error, 'license-expired')) void invalidate(client, [getSession]);
      }),
    [client],
  );
}
