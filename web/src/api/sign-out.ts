import { toast } from '../ui/toast.ts';
import { currentSignIn, settleSignOut, signOut } from './sign-in.ts';

/** Shown while the server does not know of the sign-out. */
export const unsentSignOut =
  'You’re signed out in this browser, but the server couldn’t be reached. Please keep this page open until this message closes.';

const retryEveryMs = 15_000;
/** Until it is sent. */
const shownMs = 24 * 3600_000;

/** LOGOUT-1, THANKS-1: signs out, and repeats it until the server has it. A message is shown meanwhile. */
export async function endSignIn(): Promise<void> {
  const { kind } = currentSignIn();
  if (await signOut()) return;
  toast.warning(unsentSignOut, { duration: shownMs, across: 'all' });
  const again = async () => {
    if (!(await settleSignOut(kind))) return;
    clearInterval(timer);
    removeEventListener('online', retry);
    toast.dismissText(unsentSignOut);
  };
  const retry = () => void again();
  const timer = setInterval(retry, retryEveryMs);
  addEventListener('online', retry);
}
