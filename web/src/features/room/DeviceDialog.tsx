import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { useId } from 'react';
import type { LocalMedia } from './local-media.ts';
import { helpToAllow, texts } from './texts.ts';
import { useStore } from './use-room.ts';

/** STATE-13: says what is wrong with the camera and what to do. A visit is possible without a camera. */
export function DeviceDialog({ media }: { media: LocalMedia }) {
  const { device } = useStore(media.view);
  const id = useId();
  const { problems, retry, without } = texts.device;
  // With a microphone the visit goes on. The toolbar offers the camera again.
  if (!(device.status in problems) || (device.status === 'lost' && media.hasSound)) return null;
  const { title, text, help } = problems[device.status as keyof typeof problems];
  return (
    <Dialog
      open
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      maxWidth="xs"
      fullWidth
    >
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText id={`${id}-text`} color="textPrimary" sx={{ mb: 1.5 }}>
          {text}
        </DialogContentText>
        <DialogContentText variant="body2">{help ?? helpToAllow(navigator.userAgent)}</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button color="secondary" onClick={() => void media.continueWithout()}>
          {without}
        </Button>
        <Button variant="contained" autoFocus onClick={() => void media.retry()}>
          {retry}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
