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
 * STATE-4: makes an appointment now, has the patient invited, and opens the room. `start` throws what the server
 * refuses; `startFor` is for a known patient: it asks first, and says a refusal in a toast. A double click makes one visit.
 */
export function useInstantAppointment() {
  const navigate = useNavigate();
  /** A double click is one question. */
  const asking = useRef(false);
  const change = useChange(startInstantAppointment, {
    invalidates: [listPatients, listAppointments],
    makes: ({ body }) => `visit with ${body.patientId ?? 'somebody new'}`,
    onSuccess: ({ appointmentUid, invited }) => {
      if (invited) toast.success(texts.notified, { across: 'next' });
      else toast.warning(texts.notInvited, { duration: 10_000, across: 'next' });
      return navigate(to.appointment({ uid: appointmentUid }));
    },
    // A form shows its refusals itself.
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
