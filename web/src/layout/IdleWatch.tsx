import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { useEffect, useState } from 'react';
import { noteInput, watchIdle } from '../api/idle.ts';
import { noteIdleEnd, pauseSignIn, useSignIn } from '../api/sign-in.ts';
import { endSignIn } from '../api/sign-out.ts';
import { useRead } from '../api/use-call.ts';
import { hub } from '../hub/hub.ts';
import { Button } from '../ui/Button.tsx';
import { DialogFrame } from '../ui/DialogFrame.tsx';
import { texts } from './texts.ts';

/**
 * After the idle time, with a minute's warning, signs staff out, or pauses a remembered sign-in (decision 027); not during a
 * visit.
 */
export function IdleWatch() {
  const signIn = useSignIn();
  const watched = signIn.status === 'in' && signIn.kind === 'staff';
  const { idleMinutes: minutes, remembered = false } =
    useRead(getSignIn, undefined, { enabled: watched, staleTime: 60_000 }).data ?? {};
  const [secondsLeft, setSecondsLeft] = useState<number>();

  useEffect(() => {
    if (!watched || !minutes) return;
    const stop = watchIdle({
      afterMs: minutes * 60_000,
      onWarning: setSecondsLeft,
      onIdle: () => {
        setSecondsLeft(undefined);
        if (remembered) return pauseSignIn();
        noteIdleEnd();
        // A connection that returns meanwhile would read pages again, which the server refuses.
        void hub.stop().catch(() => undefined);
        void endSignIn();
      },
    });
    return () => {
      stop();
      setSecondsLeft(undefined);
    };
  }, [watched, minutes, remembered]);

  if (secondsLeft === undefined) return null;
  return (
    <DialogFrame
      isAlert
      title={texts.idle.title}
      text={(remembered ? texts.idle.pauseText : texts.idle.text)(secondsLeft)}
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
