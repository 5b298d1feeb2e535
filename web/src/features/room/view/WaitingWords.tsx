import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { whenOf } from '../../../time/when.ts';
import { fullName } from '../../../ui/full-name.ts';
import { Spinner } from '../../../ui/light/Spinner.tsx';
import type { RoomView } from '../call/room-view.ts';
import type { MediaView } from '../media/local-media.ts';
import { texts as outsideTexts } from '../outside/texts.ts';
import { texts } from '../texts.ts';
import { useKeptFocus } from './keep-focus.ts';

interface Props {
  visit: Teleappointment;
  view: RoomView;
  media: MediaView;
  isPatient: boolean;
  /** Opens the check of the device. */
  onCheck: () => void;
}

/** STATE-10, STATE-11: says what is awaited until another peer has sound or video. */
export function WaitingWords({ visit, view, media, isPatient, onCheck }: Props) {
  const { appointment, timeZone } = visit;
  const { time, atClinic } = whenOf(appointment.startDate, timeZone);
  const [person] = view.people;
  const coming =
    person && (person.link === 'arriving' ? texts.waiting.arriving : texts.waiting.connecting)(person.name);
  const absent = view.hadCompany ? texts.waiting.providerAgain : texts.waiting.provider;
  const asking = media.device.status === 'asking' && <p className="room-ask">{texts.device.asking}</p>;
  const words = useKeptFocus<HTMLDivElement>();
  return (
    <div className="room-words" ref={words}>
      <Spinner />
      {isPatient ? (
        <>
          <h2>{coming ?? texts.waiting.patient}</h2>
          <p>
            {texts.waiting.startsAt(time)} {atClinic}
          </p>
          {visit.waiting.held && <p className="room-hint">{texts.waiting.held}</p>}
          {visit.waiting.expectedAt && (
            <p className="room-hint">{texts.waiting.expected(whenOf(visit.waiting.expectedAt, timeZone).time)}</p>
          )}
          <button type="button" className="rs-link" onClick={onCheck}>
            {outsideTexts.checkDevice}
          </button>
          {appointment.welcomeMessage && <p className="room-welcome">{appointment.welcomeMessage}</p>}
        </>
      ) : (
        <>
          <h2>{coming ?? absent(fullName(appointment.patient))}</h2>
          {!coming && <p>{texts.waiting.providerNote}</p>}
        </>
      )}
      {asking}
    </div>
  );
}
