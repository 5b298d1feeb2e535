import { Box, Link, Typography } from '@mui/material';
import { absoluteLink, to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { QrCode } from '../account-security/QrCode.tsx';
import { texts as all } from './texts.ts';

const texts = all.test;

/** The patient's link of a test visit, for a phone or another tab, and the way into the room. */
export function TestVisitDialog({ code, uid, onClose }: { code: string; uid: string; onClose: () => void }) {
  const link = absoluteLink(to.linkCode({ code }));
  return (
    <DialogFrame title={texts.title} text={texts.text} onClose={onClose}>
      <Box sx={{ display: 'grid', gap: 2, pt: 2 }}>
        <QrCode text={link} label={texts.qr} />
        <Link href={link} target="_blank" rel="noreferrer" sx={{ justifySelf: 'center' }}>
          {texts.openTab}
        </Link>
        <Typography>{texts.enter}</Typography>
      </Box>
      <DialogFormActions>
        <Button look="quiet" onClick={onClose}>
          {texts.later}
        </Button>
        <Button look="primary" to={to.appointment({ uid })}>
          {texts.enterRoom}
        </Button>
      </DialogFormActions>
    </DialogFrame>
  );
}
