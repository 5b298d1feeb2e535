import { Box, Typography } from '@mui/material';
import { limits } from '@roomside/contract/limits.ts';
import { CheckboxInput } from '../../form/CheckboxInput.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { texts } from './edit-texts.ts';

/** STATE-2: the button cancels after a confirmation; unticking and saving restores the appointment. */
export function Cancellation({ cancelled, onCancel }: { cancelled: boolean; onCancel: () => void }) {
  return (
    <Section title={texts.cancellation}>
      {cancelled && <CheckboxInput name="cancelled" label={texts.cancelled} hint={texts.cancelledHint} />}
      <TextInput
        name="cancellationNotes"
        label={texts.cancellationNotes}
        hint={texts.cancellationNotesHint}
        maxLength={limits.cancellationNotes}
        multiline
        rows={2}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.5 }}>
        <Button look="danger" onClick={onCancel}>
          {texts.cancel}
        </Button>
        {!cancelled && (
          <Typography variant="body2" color="textSecondary">
            {texts.cancelHint}
          </Typography>
        )}
      </Box>
    </Section>
  );
}
