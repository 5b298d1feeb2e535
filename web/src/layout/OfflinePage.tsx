import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useRepeated } from '../api/use-repeated.ts';
import { useGoBack } from '../go-back.ts';
import { to } from '../paths.ts';
import { Button } from '../ui/light/Button.tsx';
import { Page } from '../ui/light/Page.tsx';
import { texts as uiTexts } from '../ui/texts.ts';
import { ping, reconnectHub, takeOffline } from './offline.ts';
import { texts } from './texts.ts';

/** CONST-13, ms. */
const pingIntervalMs = 2_000;

/** MISSING-2: pings the server every 2 s, and goes back when it responds. */
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
  useRepeated(true, pingIntervalMs, attempt);

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
