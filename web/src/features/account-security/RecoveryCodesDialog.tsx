import { Box } from '@mui/material';
import { useState } from 'react';
import { saveFile } from '../../api/send.ts';
import { Button } from '../../ui/Button.tsx';
import { writeClipboard } from '../../ui/copy-text.ts';
import { DialogFrame } from '../../ui/DialogFrame.tsx';
import { toast } from '../../ui/toast.ts';
import { texts as all } from './texts.ts';

const texts = all.codes;

/** Shows new recovery codes, once. Closes only by its button, so that a click beside it does not lose them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  async function copy() {
    if (await writeClipboard(codes.join('\n'))) toast.success(texts.copied);
    else toast.error(texts.notCopied);
  }
  const download = () => {
    const text = [texts.fileHead, '', ...codes, ''].join('\n');
    saveFile({ blob: new Blob([text], { type: 'text/plain' }), name: texts.file });
  };
  return (
    <DialogFrame
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <Button look="secondary" onClick={() => void copy()}>
            {texts.copy}
          </Button>
          <Button look="secondary" onClick={download}>
            {texts.download}
          </Button>
          <Button look="primary" onClick={onClose}>
            {texts.done}
          </Button>
        </>
      }
    >
      <Box
        component="ul"
        aria-label={texts.list}
        sx={{ display: 'grid', gridTemplateColumns: 'repeat(2, 1fr)', gap: 1, listStyle: 'none', p: 0, pt: 2, m: 0 }}
      >
        {codes.map((code) => (
          <Box component="li" key={code} sx={{ fontVariantNumeric: 'tabular-nums' }}>
            {code}
          </Box>
        ))}
      </Box>
    </DialogFrame>
  );
}

/** Shown when the response with new codes is missing. */
export function LostCodesDialog({ onAgain, onClose }: { onAgain: () => Promise<void>; onClose: () => void }) {
  const [isCreating, setCreating] = useState(false);
  async function again() {
    setCreating(true);
    await onAgain();
    setCreating(false);
  }
  return (
    <DialogFrame
      title={texts.lost}
      text={texts.lostText}
      isAlert
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {texts.notNow}
          </Button>
          <Button look="primary" loading={isCreating} onClick={() => void again()}>
            {texts.again}
          </Button>
        </>
      }
    />
  );
}
