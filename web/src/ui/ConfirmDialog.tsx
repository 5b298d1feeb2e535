import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Typography,
} from '@mui/material';
import { useEffect, useId, useRef, useSyncExternalStore } from 'react';
import { openQuestions } from './confirm.ts';

const doubleClickMs = 500;

const textId = (id: string) => `${id}-text`;

/** Shows the first open question of confirm.ts. The last button has the focus, so Enter confirms. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(openQuestions.subscribe, openQuestions.get)[0];
  const id = useId();
  const openedAt = useRef(0);
  const key = question?.key;
  useEffect(() => {
    if (key !== undefined) openedAt.current = performance.now();
  }, [key]);
  if (!question) return null;
  const { title, text, details, choices, answer, dismissed } = question;
  const detailsId = `${id}-details`;
  const describedBy = [title && textId(id), details.length > 0 && detailsId].filter(Boolean).join(' ');
  const titleId = `${id}-title`;
  return (
    <Dialog
      key={question.key}
      open
      // The second click of a double click may be beside the dialog that the first one opened; it does not close it.
      onClose={(_event, reason) => {
        if (reason === 'backdropClick' && performance.now() - openedAt.current < doubleClickMs) return;
        answer(dismissed);
      }}
      role="alertdialog"
      aria-labelledby={title ? titleId : textId(id)}
      aria-describedby={describedBy || undefined}
      maxWidth={choices.length > 2 ? 'sm' : 'xs'}
      fullWidth
    >
      {title && <DialogTitle id={titleId}>{title}</DialogTitle>}
      <DialogContent>
        <DialogContentText id={textId(id)} color="textPrimary" sx={{ textWrap: 'pretty', pt: title ? 0 : 1 }}>
          {text}
        </DialogContentText>
        {details.length > 0 && (
          <Box
            id={detailsId}
            sx={{ mt: 2, pl: 1.5, borderLeft: '3px solid var(--rs-line-strong)', overflowWrap: 'anywhere' }}
          >
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
