import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import type { SubscribeRefusal } from '@roomside/contract/room/messages.ts';
import { to } from '../../../paths.ts';
import { Button, ButtonLink } from '../../../ui/light/Button.tsx';
import { Page } from '../../../ui/light/Page.tsx';
import { texts as uiTexts } from '../../../ui/texts.ts';
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
      {why === 'full' ? (
        <>
          <p className="rs-text">{texts.gone.fullNote}</p>
          <Button onClick={() => location.reload()}>{uiTexts.tryAgain}</Button>
        </>
      ) : isPatient ? (
        why !== 'unlicensed' && <p className="rs-text">{texts.gone.cancelledNote}</p>
      ) : (
        <ButtonLink href={`#${to.appointmentEdit({ patient: patientId, id: appointmentId })}`}>
          {texts.gone.openAppointment}
        </ButtonLink>
      )}
    </Page>
  );
}
