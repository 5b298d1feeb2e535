import { DialogContentText } from '@mui/material';
import { Button } from '../../../ui/Button.tsx';
import { DialogFrame } from '../../../ui/DialogFrame.tsx';
import type { LocalMedia } from '../media/local-media.ts';
import { helpToAllow, texts } from './device-texts.ts';
import { useStore } from './use-room.ts';

/** STATE-13: says what is wrong with the camera and what to do. A visit is possible without a camera. */
export function DeviceDialog({ media }: { media: LocalMedia }) {
  const { device } = useStore(media.view);
  const { problems, retry, without } = texts;
  // With a microphone the visit goes on. The toolbar offers the camera again.
  if (!(device.status in problems) || (device.status === 'lost' && media.hasSound)) return null;
  const { title, text, help } = problems[device.status as keyof typeof problems];
  return (
    <DialogFrame
      isAlert
      title={title}
      text={text}
      actions={
        <>
          <Button look="quiet" onClick={() => void media.continueWithout()}>
            {without}
          </Button>
          <Button look="primary" autoFocus onClick={() => void media.retry()}>
            {retry}
          </Button>
        </>
      }
    >
      <DialogContentText variant="body2" sx={{ mt: 1.5 }}>
        {help ?? helpToAllow(navigator.userAgent)}
      </DialogContentText>
    </DialogFrame>
  );
}
