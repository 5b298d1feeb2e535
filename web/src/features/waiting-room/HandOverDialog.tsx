import { MenuItem, TextField } from '@mui/material';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { type Arrived, handOverPatient, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { type FormEvent, useState } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFormActions, DialogFrame } from '../../ui/DialogFrame.tsx';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

interface Props {
  card: Arrived;
  name: string;
  onClose: () => void;
}

/** Gives a patient who waits to another provider. */
export function HandOverDialog({ card, name, onClose }: Props) {
  const doctors = useRead(listDoctors, undefined, { staleTime: 60_000 }).data?.data ?? [];
  const others = doctors.filter(({ userId }) => userId !== card.doctor.userId);
  const [chosen, setChosen] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const handOver = useChange(handOverPatient, { invalidates: [listArrived] });

  async function submit(event: FormEvent) {
    event.preventDefault();
    const doctor = others.find(({ userId }) => userId === chosen);
    if (!doctor) return setMissing(true);
    const input = { params: { uid: card.appointmentUid }, body: { doctorId: doctor.userId } };
    const isDone = await handOver.mutateAsync(input).then(
      () => true,
      () => false,
    );
    if (!isDone) return;
    toast.success(texts.handedOver(name, `${doctor.firstName} ${doctor.lastName}`));
    onClose();
  }

  return (
    <DialogFrame title={texts.handOverTitle(name)} text={texts.handOverHint} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          select
          autoFocus
          fullWidth
          margin="normal"
          label={texts.provider}
          value={chosen === 0 ? '' : chosen}
          error={isMissing}
          helperText={isMissing ? texts.chooseProvider : undefined}
          onChange={(event) => {
            setChosen(Number(event.target.value));
            setMissing(false);
          }}
        >
          {others.map(({ userId, firstName, lastName }) => (
            <MenuItem key={userId} value={userId}>
              {firstName} {lastName}
            </MenuItem>
          ))}
        </TextField>
        <DialogFormActions>
          <Button look="quiet" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button look="primary" type="submit" disabled={handOver.isPending}>
            {texts.handOverYes}
          </Button>
        </DialogFormActions>
      </form>
    </DialogFrame>
  );
}
