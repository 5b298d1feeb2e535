import { getSession } from '@roomside/contract/auth/calls.ts';
import { useEffect, useState } from 'react';
import { noteInput, watchIdle } from '../api/idle.ts';
import { useSignIn } from '../api/sign-in.ts';
import { endSignIn } from '../api/sign-out.ts';
import { useRead } from '../api/use-call.ts';
import { Button } from '../ui/Button.tsx';
import { DialogFrame } from '../ui/DialogFrame.tsx';
import { toast } from '../ui/toast.ts';
import { texts } from './texts.ts';

/** Signs staff out after the idle time, with a minute's warning; not during a visit. */
export function IdleWatch() {
  const session = useSignIn();
  const watched = session.status === 'in' && session.kind === 'staff';
  const minutes = useRead(getSession, undefined, { enabled: watched, staleTime: 60_000 }).data?.idleMinutes;
  const [secondsLeft, setSecondsLeft] = useState<number>();

  useEffect(() => {
    if (!watched || !minutes) return;
    const stop = watchIdle({
      afterMs: minutes * 60_000,
      onWarning: setSecondsLeft,
      onIdle: () => {
        setSecondsLeft(undefined);
        toast.info(texts.idle.signedOut, { duration: 3600_000, across: 'all' });
        void endSignIn();
      },
    });
    return () => {
      stop();
      setSecondsLeft(undefined);
    };
  }, [watched, minutes]);

  if (secondsLeft === undefined) return null;
  return (
    <DialogFrame
      isAlert
      title={texts.idle.title}
      text={texts.idle.text(secondsLeft)}
      actions={
        <Button
          look="primary"
          autoFocus
          onClick={() => {
            noteInput();
            setSecondsLeft(undefined);
          }}
        >
          {texts.idle.stay}
        </Button>
      }
    />
  );
}
