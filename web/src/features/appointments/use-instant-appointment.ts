import { listAppointments, startInstantAppointment } from '@roomside/contract/appointments/calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { readContact } from './contact.ts';
import { texts } from './instant-texts.ts';

/**
 * STATE-4: creates an appointment that starts now, invites the patient and opens the room. `start` throws the server's
 * refusal; `startFor` is for an existing patient: it asks first and shows a refusal in a toast. A double click creates one.
 */
export function useInstantAppointment() {
  const navigate = useNavigate();
  /** Ignores the second click of a double click. */
  const asking = useRef(false);
  const change = useChange(startInstantAppointment, {
    invalidates: [listPatients, listAppointments],
    makes: ({ body }) => `visit with ${body.patientId ?? 'a new patient'}`,
    onSuccess: ({ appointmentUid, invited }) => {
      if (invited) toast.success(texts.notified, { across: 'next' });
      else toast.warning(texts.notInvited, { duration: 10_000, across: 'next' });
      return navigate(to.appointment({ uid: appointmentUid }));
    },
    // The form shows its refusals.
    onError: (_, { body }) => body.patientId === undefined,
  });
  return {
    isStarting: change.isPending,
    start: (body: BodyOf<typeof startInstantAppointment>) => change.mutateAsync({ body }),
    async startFor(patientId: number): Promise<void> {
      if (change.isPending || asking.current) return;
      asking.current = true;
      try {
        const contact = await readContact(patientId);
        const isReached = contact === undefined || contact.ways !== '';
        const yes = await confirm({
          title: texts.title,
          text: texts.question,
          details: contact ? [contact.name, texts.goesTo(contact.ways)] : [],
          yes: isReached ? texts.sendAndStart : texts.startOnly,
          no: texts.dismiss,
        });
        if (yes) change.mutate({ body: { patientId, email: '', phone: '' } });
      } finally {
        asking.current = false;
      }
    },
  };
}
