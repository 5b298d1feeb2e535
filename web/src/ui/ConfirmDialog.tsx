import { Box, Typography } from '@mui/material';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Button } from './Button.tsx';
import { openQuestions } from './confirm.ts';
import { DialogFrame } from './DialogFrame.tsx';

const doubleClickMs = 500;

/** Shows the first open question of confirm.ts. The last button has the focus, so Enter confirms. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(openQuestions.subscribe, openQuestions.get)[0];
  const openedAt = useRef(0);
  const key = question?.key;
  useEffect(() => {
    if (key !== undefined) openedAt.current = performance.now();
  }, [key]);
  if (!question) return null;
  const { title, text, details, choices, answer, dismissed } = question;
  const alternatives = choices.filter(({ look }) => look === 'secondary');
  const actions = choices.filter(({ look }) => look !== 'secondary');
  return (
    <DialogFrame
      key={question.key}
      isAlert
      title={title ?? text}
      {...(title && { text })}
      width={actions.length > 2 ? 'sm' : 'xs'}
      // The second click of a double click may be beside the dialog that the first one opened; it does not close it.
      onClose={(reason) => {
        if (reason === 'backdropClick' && performance.now() - openedAt.current < doubleClickMs) return;
        answer(dismissed);
      }}
      actions={actions.map(({ value, label, look = 'quiet' }, index) => (
        <Button
          key={label}
          look={look}
          autoFocus={alternatives.length === 0 && index === actions.length - 1}
          onClick={() => answer(value)}
        >
          {label}
        </Button>
      ))}
    >
      {details.length > 0 && (
        <Box sx={{ mt: 2, pl: 1.5, borderLeft: '3px solid var(--rs-line-strong)', overflowWrap: 'anywhere' }}>
          {details.map((line, index) => (
            <Typography
              key={line}
              variant="body2"
              color={index === 0 ? 'textPrimary' : 'textSecondary'}
              sx={{ fontWeight: index === 0 ? 600 : 400, mt: index === 0 ? 0 : 0.25 }}
            >
              {line}
            </Typography>
          ))}
        </Box>
      )}
      {alternatives.length > 0 && (
        <Box sx={{ display: 'grid', gap: 1, mt: 2 }}>
          {alternatives.map(({ value, label }, index) => (
            <Button key={label} look="secondary" autoFocus={index === 0} onClick={() => answer(value)}>
              {label}
            </Button>
          ))}
        </Box>
      )}
    </DialogFrame>
  );
}
