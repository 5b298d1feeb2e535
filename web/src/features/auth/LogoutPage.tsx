import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router';
import { endSignIn } from '../../api/sign-out.ts';
import { hub } from '../../hub/hub.ts';
import { to } from '../../paths.ts';
import { Page } from '../../ui/light/Page.tsx';
import { texts } from './texts.ts';

/** Time to read the page, ms. */
const readMs = 1_200;

/** LOGOUT-1. */
export function LogoutPage() {
  const navigate = useNavigate();
  const started = useRef(false);
  const leave = useEffectEvent(async () => {
    if (started.current) return;
    started.current = true;
    const read = new Promise((done) => setTimeout(done, readMs));
    // An unreachable hub must not prevent the sign-out.
    await hub.stop().catch(() => undefined);
    await endSignIn();
    await read;
    await navigate(to.login(), { replace: true });
  });
  useEffect(() => void leave(), []);
  return <Page title={texts.logout} />;
}
