import { Box, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  text?: string;
  /** An alert dialog needs an answer; screen readers read all of it when it opens. */
  isAlert?: boolean;
  /** Without it, Escape and a click beside the dialog do nothing. */
  onClose?: (reason: 'escapeKeyDown' | 'backdropClick') => void;
  width?: 'xs' | 'sm';
  /** Buttons, the way back first. A form has its own. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A dialog: title, text, content, buttons. The main button says what it does with a verb. */
export function DialogFrame({ title, text, isAlert = false, onClose, width = 'xs', actions, children }: Props) {
  const id = useId();
  const textId = `${id}-text`;
  const contentId = `${id}-content`;
  const describedBy = isAlert ? contentId : text && textId;
  return (
    <Dialog
      open
      {...(onClose && { onClose: (_event: object, reason: 'escapeKeyDown' | 'backdropClick') => onClose(reason) })}
      {...(isAlert && { role: 'alertdialog' })}
      aria-labelledby={`${id}-title`}
      {...(describedBy && { 'aria-describedby': describedBy })}
      maxWidth={width}
      fullWidth
    >
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      {/* A question alone is the title. */}
      <DialogContent sx={{ '&:has(> :empty)': { p: 0 } }}>
        <Box id={contentId}>
          {text && (
            <DialogContentText id={textId} color="textPrimary" sx={{ textWrap: 'pretty' }}>
              {text}
            </DialogContentText>
          )}
          {children}
        </Box>
      </DialogContent>
      {actions && <DialogActions>{actions}</DialogActions>}
    </Dialog>
  );
}

/** The buttons at the end of a dialog's form. */
export function DialogFormActions({ children }: { children: ReactNode }) {
  return <DialogActions sx={{ p: 0, pt: 1 }}>{children}</DialogActions>;
}
