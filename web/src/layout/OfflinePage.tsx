import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useGoBack } from '../go-back.ts';
import { to } from '../paths.ts';
import { Button } from '../ui/light/Button.tsx';
import { Page } from '../ui/light/Page.tsx';
import { texts as uiTexts } from '../ui/texts.ts';
import { ping, reconnectHub, takeOffline } from './offline.ts';
import { texts } from './texts.ts';

/** CONST-13, ms. */
const pingIntervalMs = 2_000;

/** MISSING-2: pings the server every 2 s, also while a slow line has not answered yet, and goes back with the first answer. */
export function OfflinePage() {
  const navigate = useNavigate();
  const goBack = useGoBack(to.home());
  const [asking, setAsking] = useState(false);
  const done = useRef(false);

  const attempt = async () => {
    if (!(await ping()) || done.current) return;
    done.current = true;
    reconnectHub();
    const from = takeOffline();
    void (from ? navigate(from, { replace: true }) : goBack());
  };
  const repeat = useEffectEvent(() => void attempt());
  useEffect(() => {
    done.current = false;
    const timer = setInterval(() => repeat(), pingIntervalMs);
    return () => {
      clearInterval(timer);
      // An answer after the page was left leads nowhere.
      done.current = true;
    };
  }, []);

  return (
    <Page eyebrow={texts.offline.text} title={texts.offline.title}>
      <p className="rs-text" role="status">
        {texts.offline.note}
      </p>
      <Button
        busy={asking}
        onClick={() => {
          setAsking(true);
          void attempt().finally(() => setAsking(false));
        }}
      >
        {uiTexts.tryAgain}
      </Button>
    </Page>
  );
}
