import { type ReactNode, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { toast } from '../../ui/toast.ts';
import { ConfirmIdentityDialog } from './ConfirmIdentityDialog.tsx';

export interface Confirmed {
  /**
   * Runs a change. If the server wants to know that the user is present, asks for the password or a passkey and runs it again. Returns
   * undefined when the user cancels, or when the change fails, which is then shown.
   */
  run<T>(change: () => Promise<T>): Promise<{ result: T } | undefined>;
  /** As `run`, but throws what fails. */
  attempt<T>(change: () => Promise<T>): Promise<{ result: T } | undefined>;
  dialog: ReactNode;
}

/** Changes and exports that need the current password or a passkey. */
export function useConfirmed(): Confirmed {
  const [asking, setAsking] = useState<(isConfirmed: boolean) => void>();

  async function attempt<T>(change: () => Promise<T>): Promise<{ result: T } | undefined> {
    try {
      return { result: await change() };
    } catch (error) {
      if (!isRefusal(error, 'confirm-identity')) throw error;
    }
    const isConfirmed = await new Promise<boolean>((resolve) => setAsking(() => resolve));
    setAsking(undefined);
    return isConfirmed ? { result: await change() } : undefined;
  }

  return {
    attempt,
    run: (change) =>
      attempt(change).catch((error: unknown) => {
        toast.error(wordsFor(error));
        return undefined;
      }),
    dialog: asking && <ConfirmIdentityDialog onDone={asking} />,
  };
}
