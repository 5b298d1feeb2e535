import { Alert, Box, Typography } from '@mui/material';
import {
  type ExternalCalendar,
  externalCalendarBody,
  getProviderCalendar,
  removeExternalCalendar,
  saveExternalCalendar,
} from '@roomside/contract/calendars/calls.ts';
import { calendarProblems } from '@roomside/contract/calendars/problems.ts';
import { limits } from '@roomside/contract/limits.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { useChange } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { useUnsaved } from '../../form/use-unsaved.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { useLostFocus } from '../../ui/use-lost-focus.ts';
import { texts } from './texts.ts';

const invalidates = [getProviderCalendar, listSchedule, listSlots] as const;
const timeOf = (instant: string) => formatDateTime(instant, ownZone());

/** The external calendar of a provider: its state, or a form for its address. */
export function ExternalPart({ userId, external }: { userId: number; external: ExternalCalendar | null }) {
  const part = useLostFocus<HTMLDivElement>(external !== null);
  return (
    <>
      <Typography variant="body2" color="textSecondary">
        {texts.externalText}
      </Typography>
      <Box ref={part} tabIndex={-1} sx={{ display: 'grid', gap: 2, outline: 'none' }}>
        {external ? <ExternalState userId={userId} external={external} /> : <AddressForm userId={userId} />}
      </Box>
    </>
  );
}

function AddressForm({ userId }: { userId: number }) {
  const form = useContractForm(externalCalendarBody, { defaultValues: { address: '' } });
  useUnsaved(form);
  const save = useChange(saveExternalCalendar, { invalidates, success: texts.saved, onError: () => true });
  return (
    <Form
      form={form}
      onSubmit={async (body) => {
        await save.mutateAsync({ params: { userId }, body });
        form.reset();
      }}
    >
      <TextInput
        name="address"
        label={texts.externalAddress}
        hint={texts.externalHint}
        maxLength={limits.calendarAddress}
        inputMode="url"
        autoComplete="off"
        required
      />
      <Box>
        <SubmitButton>{texts.save}</SubmitButton>
      </Box>
    </Form>
  );
}

function ExternalState({ userId, external }: { userId: number; external: ExternalCalendar }) {
  const { host, readAt, failedAt, problem, busy } = external;
  const remove = useChange(removeExternalCalendar, { invalidates, success: texts.externalRemoved });
  async function ask() {
    const yes = await confirm({
      text: texts.removeExternalQuestion,
      details: [texts.removeExternalDetail],
      yes: texts.removeExternal,
      no: texts.cancel,
      danger: true,
    });
    if (yes) remove.mutate({ params: { userId } });
  }
  return (
    <>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        {[texts.reading(host), texts.externalReadAt(timeOf(readAt)), texts.busy(busy)].join(' ')}
      </Typography>
      {problem && failedAt && (
        <Alert severity="warning">
          {texts.failed(timeOf(failedAt), calendarProblems[problem])} {texts.stays}
        </Alert>
      )}
      <Box>
        <Button look="danger" loading={remove.isPending} onClick={() => void ask()}>
          {texts.removeExternal}
        </Button>
      </Box>
    </>
  );
}
