import { getSignIn } from '@roomside/contract/auth/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { useRead } from './use-call.ts';

export type Company = NonNullable<ResultOf<typeof getSignIn>['company']>;

/** The signed-in person's company; undefined while it loads, and for a Super. */
export function useCompany(): Company | undefined {
  return useRead(getSignIn, undefined, { staleTime: 60_000 }).data?.company ?? undefined;
}
