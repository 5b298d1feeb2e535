import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { useEffect, useId, useRef, useSyncExternalStore } from 'react';
import { openQuestions } from './confirm.ts';

const doubleClickMs = 500;

/** Shows the first open question of confirm.ts; the last button has the focus, so that Enter says yes. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(openQuestions.subscribe, openQuestions.get)[0];
  const id = useId();
  const openedAt = useRef(0);
  const key = question?.key;
  useEffect(() => {
    if (key !== undefined) openedAt.current = performance.now();
  }, [key]);
  if (!question) return null;
  const { title, text, choices, answer, dismissed } = question;
  const textId = `${id}-text`;
  const titleId = `${id}-title`;
  return (
    <Dialog
      key={question.key}
      open
      // The second click of a double click lands beside the question that the first one opened: it is no answer.
      onClose={(_event, reason) => {
        if (reason === 'backdropClick' && performance.now() - openedAt.current < doubleClickMs) return;
        answer(dismissed);
      }}
      role="alertdialog"
      aria-labelledby={title ? titleId : textId}
      aria-describedby={title ? textId : undefined}
      maxWidth={choices.length > 2 ? 'sm' : 'xs'}
      fullWidth
    >
      {title && <DialogTitle id={titleId}>{title}</DialogTitle>}
      <DialogContent>
        <DialogContentText id={textId} color="textPrimary" sx={{ textWrap: 'pretty', pt: title ? 0 : 1 }}>
          {text}
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        {choices.map(({ value, label, look = 'plain' }, index) => (
          <Button
            key={label}
            variant={look === 'plain' ? 'text' : 'contained'}
            color={look === 'danger' ? 'error' : look === 'plain' ? 'secondary' : 'primary'}
            autoFocus={index === choices.length - 1}
            onClick={() => answer(value)}
          >
            {label}
          </Button>
        ))}
      </DialogActions>
    </Dialog>
  );
}
