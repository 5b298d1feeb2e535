import { Box, Card, LinearProgress, Typography } from '@mui/material';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from './texts.ts';
import './csv-import.css';

/** The steps of the wizard; the current one is marked (STATE-28). */
export function Steps({ current }: { current: number }) {
  return (
    <ol className="csv-steps" aria-label={texts.stepsLabel}>
      {texts.steps.map((title, index) => (
        <li
          key={title}
          {...(index <= current && { 'data-reached': true })}
          {...(index === current && { 'aria-current': 'step' as const })}
        >
          <span className="csv-steps-number" aria-hidden="true">
            {index < current ? '✓' : index + 1}
          </span>
          <span className="csv-steps-title">
            {title}
            {index < current && <Hidden>{` (${texts.stepDone})`}</Hidden>}
          </span>
        </li>
      ))}
    </ol>
  );
}

const Hidden = ({ children }: { children: string }) => (
  <Box component="span" sx={{ position: 'absolute', clipPath: 'inset(50%)' }}>
    {children}
  </Box>
);

/** What is to be done in a step. Its heading takes the focus when it follows another one, so that it is read. */
export function Step({ title, follows, children }: { title: string; follows: boolean; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    if (follows) heading.current?.focus({ preventScroll: true });
  }, [follows]);
  return (
    <Card
      component="section"
      aria-labelledby={id}
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', p: { xs: 2, sm: 3 } }}
    >
      <Typography variant="h2" id={id} ref={heading} tabIndex={-1} sx={{ outline: 'none' }}>
        {title}
      </Typography>
      {children}
    </Card>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return (
    <Typography variant="body2" color="textSecondary" sx={{ maxWidth: 680, textWrap: 'pretty' }}>
      {children}
    </Typography>
  );
}

/** A bar of progress, 0 to 100, with what it is about. */
export function Bar({ text, label, percent }: { text: string; label: string; percent: number }) {
  return (
    <Box>
      <Typography>{text}</Typography>
      <LinearProgress aria-label={label} variant="determinate" value={percent} sx={{ my: 1 }} />
    </Box>
  );
}

export const Tools = ({ children }: { children: ReactNode }) => <div className="csv-tools">{children}</div>;
