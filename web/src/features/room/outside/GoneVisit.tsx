import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import type { SubscribeRefusal } from '@roomside/contract/room/messages.ts';
import { to } from '../../../paths.ts';
import { ButtonLink } from '../../../ui/light/Button.tsx';
import { Page } from '../../../ui/light/Page.tsx';
import { texts, wordsForRefusal } from './texts.ts';

interface Props {
  why: SubscribeRefusal;
  isPatient: boolean;
  visit: Teleappointment;
}

/** Shown for a visit that can no longer be entered. */
export function GoneVisit({ why, isPatient, visit }: Props) {
  const { patientId, appointmentId } = visit.appointment;
  return (
    <Page eyebrow={visit.companyName} title={wordsForRefusal(why, isPatient)}>
      {isPatient ? (
        <p className="rs-text">{texts.gone.cancelledNote}</p>
      ) : (
        <ButtonLink href={`#${to.appointmentEdit({ patient: patientId, id: appointmentId })}`}>
          {texts.gone.openAppointment}
        </ButtonLink>
      )}
    </Page>
  );
}
