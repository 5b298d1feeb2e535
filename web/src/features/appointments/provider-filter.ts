import { listDoctors, type Provider } from '@roomside/contract/users/calls.ts';
import { useState } from 'react';
import { keepPersonal, recallPersonal } from '../../api/personal-storage.ts';
import { useSignIn } from '../../api/sign-in.ts';
import type { SignInState } from '../../api/sign-in-state.ts';
import { useRead } from '../../api/use-call.ts';

/** LIST-22: the default provider filter of a user; 0 = all. */
function defaultProvider(signIn: SignInState): number {
  return signIn.status === 'in' && signIn.claims.roles === 'D' ? Number(signIn.claims.sub) : 0;
}

const keptAs = 'appointments:provider';

/** LIST-4: the chosen provider, stored per user in the tab, and the available ones. */
export function useProviderFilter(): {
  provider: number;
  doctors: readonly Provider[] | undefined;
  choose: (provider: number) => void;
} {
  const signIn = useSignIn();
  const [chosen, setChosen] = useState(() => recallPersonal(keptAs));
  const doctors = useRead(listDoctors, undefined, { staleTime: 60_000 }).data?.data;
  const wanted = chosen === null ? defaultProvider(signIn) : Number(chosen);
  // A user who is no longer a provider cannot be chosen, and must not remain as a hidden filter.
  const isGone = doctors !== undefined && !doctors.some(({ userId }) => userId === wanted);
  return {
    provider: isGone ? 0 : wanted,
    doctors,
    choose: (provider) => {
      keepPersonal(keptAs, String(provider));
      setChosen(String(provider));
    },
  };
}
