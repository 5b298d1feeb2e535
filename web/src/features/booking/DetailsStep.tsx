import { bookingBody, type ContactConfirmation } from '@roomside/contract/booking/calls.ts';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { useLostFocus } from '../../ui/use-lost-focus.ts';
import { birthDateOf, type Confirmation, clockText, type Held, type Person, phoneDigits } from './booking-state.ts';
import { ConfirmStep } from './ConfirmStep.tsx';
import { useFieldErrors } from './field-errors.ts';
import { PersonFields } from './PersonFields.tsx';
import { texts } from './texts.ts';
import { Visit } from './Visit.tsx';

const words = texts.details;

interface Props {
  held: Held;
  /** Planned length of the visit. */
  minutes: number;
  clinicZone: string;
  doctor: string;
  person: Person;
  onPerson: (person: Person) => void;
  /** Books; the page handles a taken slot. Resolves with where a code was sent if the contact has to be confirmed. */
  onBook: (person: ReturnType<typeof wireOf>, confirmation?: Confirmation) => Promise<ContactConfirmation | undefined>;
  onKeepAgain: () => Promise<void>;
  onOtherTime: () => void;
}

/** Converts to the format of the calls. */
export const wireOf = (person: Person) => ({
  firstName: person.firstName.trim(),
  lastName: person.lastName.trim(),
  doB: birthDateOf(person),
  phone: phoneDigits(person.phone),
  email: person.email.trim(),
});

/** The patient's details, while the slot is held. */
export function DetailsStep({ held, person, onPerson, onBook, onKeepAgain, onOtherTime, ...visit }: Props) {
  const wire = wireOf(person);
  const { errors, failure, check, refuse } = useFieldErrors(bookingBody, { holdUid: held.holdUid, ...wire });
  const [busy, setBusy] = useState(false);
  const [confirmation, setConfirmation] = useState<ContactConfirmation>();
  const firstField = useLostFocus<HTMLInputElement>(confirmation !== undefined);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !check()) return;
    setBusy(true);
    try {
      setConfirmation(await onBook(wire));
    } catch (error) {
      refuse(error);
    }
    setBusy(false);
  }

  async function confirm(answer: Confirmation): Promise<boolean> {
    const next = await onBook(wire, answer);
    if (next) setConfirmation(next);
    return next !== undefined;
  }

  return (
    <div className="bk-columns">
      <div className="bk-beside">
        <Visit startDate={held.startDate} {...visit} />
        <Kept until={held.until} onKeepAgain={onKeepAgain} onOtherTime={onOtherTime} />
      </div>
      {confirmation ? (
        <ConfirmStep
          body={{ holdUid: held.holdUid, ...wire }}
          contact={confirmation.method === 'email' ? person.email.trim() : person.phone.trim()}
          onConfirm={confirm}
          onChange={() => setConfirmation(undefined)}
        />
      ) : (
        <div>
          {failure && <Notice kind="error">{failure}</Notice>}
          <form className="rs-form" onSubmit={(event) => void submit(event)} noValidate>
            <PersonFields person={person} onChange={onPerson} errors={errors} firstField={firstField} />
            <Button type="submit" busy={busy}>
              {words.book}
            </Button>
            <Button look="quiet" onClick={onOtherTime}>
              {words.otherTime}
            </Button>
          </form>
        </div>
      )}
    </div>
  );
}

/** The remaining time of the hold; announced at the start, a minute before the end, and at the end. */
function Kept({ until, onKeepAgain, onOtherTime }: Pick<Props, 'onKeepAgain' | 'onOtherTime'> & { until: number }) {
  const [now, setNow] = useState(Date.now);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  if (left === 0) {
    return (
      <div className="bk-over">
        <Notice kind="error" isAnswer={false}>
          {words.over}
        </Notice>
        <div className="visit-actions">
          <Button
            busy={busy}
            onClick={() => {
              setBusy(true);
              void onKeepAgain().finally(() => setBusy(false));
            }}
          >
            {words.keepAgain}
          </Button>
          <Button look="secondary" onClick={onOtherTime}>
            {words.otherTime}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <p className={left <= 60 ? 'bk-kept bk-kept-ending' : 'bk-kept'}>
      <span aria-hidden="true">{words.kept(clockText(left))}</span>
      <span className="bk-hidden" role="status">
        {left <= 60 ? words.oneMinute : words.keptSpoken}
      </span>
    </p>
  );
}
