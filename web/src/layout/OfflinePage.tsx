import WifiOffIcon from '@mui/icons-material/WifiOff';
import { Box, Button, Typography } from '@mui/material';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { texts as uiTexts } from '../ui/texts.ts';
import { ping, reconnectHub, takeOffline } from './offline.ts';
import { texts } from './texts.ts';

/** CONST-13, ms. */
const pingEveryMs = 2_000;

/** MISSING-2: asks the server every 2 s, and goes back by itself once it answers. */
export function OfflinePage() {
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  const [asking, setAsking] = useState(false);
  const done = useRef(false);

  const attempt = async () => {
    if (!(await ping()) || done.current) return;
    done.current = true;
    reconnectHub();
    const from = takeOffline();
    void (from
      ? navigate(from, { replace: true })
      : history.length > 1
        ? navigate(-1)
        : navigate('/', { replace: true }));
  };
  const poll = useEffectEvent(attempt);

  useEffect(() => {
    document.title = `${texts.offline.text} · ${uiTexts.product}`;
    heading.current?.focus();
    let timer: ReturnType<typeof setTimeout>;
    let stopped = false;
    const next = () => {
      timer = setTimeout(() => void poll().then(() => stopped || next()), pingEveryMs);
    };
    next();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, []);

  return (
    <Box
      component="main"
      sx={{
        display: 'grid',
        placeContent: 'center',
        justifyItems: 'center',
        minHeight: '100dvh',
        p: 3,
        gap: 1,
        textAlign: 'center',
      }}
    >
      <WifiOffIcon sx={{ fontSize: 48, color: 'text.secondary', mb: 1 }} />
      <Typography variant="h1" ref={heading} tabIndex={-1} sx={{ outline: 'none' }}>
        {texts.offline.title}
      </Typography>
      <Typography>{texts.offline.text}</Typography>
      <Typography variant="body2" color="textSecondary" sx={{ maxWidth: 360, mb: 2 }} role="status">
        {texts.offline.note}
      </Typography>
      <Button
        variant="contained"
        loading={asking}
        onClick={() => {
          setAsking(true);
          void attempt().finally(() => setAsking(false));
        }}
      >
        {uiTexts.tryAgain}
      </Button>
    </Box>
  );
}
