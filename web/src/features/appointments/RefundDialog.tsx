import { Typography } from '@mui/material';
import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { getReceipt, refundAppointment } from '@roomside/contract/payments/calls.ts';
import { useChange } from '../../api/use-call.ts';
import { Form } from '../../form/Form.tsx';
import { SubmitButton } from '../../form/SubmitButton.tsx';
import { TextInput } from '../../form/TextInput.tsx';
import { useContractForm } from '../../form/use-contract-form.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './edit-texts.ts';

const words = texts.refund;

interface Props {
  live: Appointment;
  onClose: () => void;
  /** Reads the appointment again. */
  onRefunded: () => Promise<void>;
}

/** Asks for the reason and returns all that was paid by card (APPT-4). */
export function RefundDialog({ live: { appointmentId }, onClose, onRefunded }: Props) {
  const form = useContractForm(refundAppointment.body, { defaultValues: { reason: '' } });
  const refund = useChange(refundAppointment, { invalidates: [getReceipt], onError: () => true });
  return (
    <DialogFrame title={words.question} width="sm" onClose={onClose}>
      <Form
        form={form}
        onSubmit={async (body) => {
          await refund.mutateAsync({ params: { appointmentId }, body });
          await onRefunded();
          toast.success(words.done);
          onClose();
        }}
      >
        <Typography sx={{ textWrap: 'pretty' }}>{words.what}</Typography>
        <TextInput
          name="reason"
          label={words.reason}
          hint={words.reasonHint}
          maxLength={limits.refundReason}
          counter
          required
        />
        <DialogFormActions>
          <Button look="quiet" onClick={onClose}>
            {words.keep}
          </Button>
          <SubmitButton look="danger-primary">{words.yes}</SubmitButton>
        </DialogFormActions>
      </Form>
    </DialogFrame>
  );
}
