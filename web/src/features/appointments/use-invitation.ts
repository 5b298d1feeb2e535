import {
  type AppointmentRow,
  connectAppointment,
  getAppointment,
  listAppointments,
  notifyAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { mayConnect, mayInvite } from '@roomside/contract/appointments/over.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { invalidate } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { now, ownZone } from '../../time/time.ts';
import { choose } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { readContact, whenIs } from './contact.ts';
import { texts } from './texts.ts';

type Invitable = Pick<AppointmentRow, 'appointmentId' | 'status' | 'startDate' | 'endDate' | 'patientId'>;

/**
 * LIST-21, STATE-4: asks how to invite, with the patient, the time and the contact, and sends it. `before` saves the form
 * after the choice, as the dialog says; when it returns false, nothing is sent.
 */
export function useInvitation(): (visit: Invitable, before?: () => Promise<boolean>) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const zone = useCompany()?.timeZone ?? ownZone();
  return async (visit, before) => {
    const { appointmentId, status } = visit;
    if (status === 'cancelled') return void toast.info(texts.alreadyCancelled);
    if (!mayInvite(visit, now())) return void toast.info(refusals['visit-over'].text);
    const contact = await readContact(visit.patientId);
    const choice = await choose<'connect' | 'invite' | 'nothing'>({
      title: texts.confirmation,
      text: texts.inviteQuestion,
      details: [
        ...(contact ? [contact.name] : []),
        whenIs(visit.startDate, zone),
        ...(contact ? [texts.inviteTo(contact.ways)] : []),
        ...(before ? [texts.savedFirst] : []),
      ],
      choices: [
        { value: 'nothing', label: texts.dismiss },
        ...(mayConnect(visit, now()) ? [{ value: 'connect', label: texts.inviteAndConnect } as const] : []),
        // The last button has the focus, so Enter does the least.
        { value: 'invite', label: texts.inviteOnly, look: 'primary' },
      ],
    });
    if (choice === null || choice === 'nothing' || (before && !(await before()))) return;
    const params = { appointmentId };
    try {
      if (choice === 'invite') {
        await send(notifyAppointment, { params });
        toast.success(texts.notified);
        await invalidate(client, [getAppointment]);
        return;
      }
      const { appointmentUid, invited } = await send(connectAppointment, { params });
      if (invited) toast.success(texts.connected, { across: 'next' });
      else toast.warning(texts.connectedAlone, { across: 'next' });
      void invalidate(client, [listAppointments, getAppointment]);
      await navigate(to.appointment({ uid: appointmentUid }));
    } catch (error) {
      toast.error(wordsFor(error));
    }
  };
}
