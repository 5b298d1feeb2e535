import { requestAppointment, requestBody } from '@roomside/contract/booking/calls.ts';
import { limits } from '@roomside/contract/limits.ts';
import { type FormEvent, useId, useRef, useState } from 'react';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import type { Person } from './booking-state.ts';
import { wireOf } from './DetailsStep.tsx';
import { useFieldErrors } from './field-errors.ts';
import { PersonFields } from './PersonFields.tsx';
import { texts } from './texts.ts';

const words = texts.request;

interface Props {
  companyUid: string;
  doctorId: number;
  person: Person;
  onPerson: (person: Person) => void;
  wish: string;
  onWish: (wish: string) => void;
  onBack: () => void;
  onDone: () => void;
}

/** Sends a time request when no start works; the clinic contacts the patient. */
export function RequestStep({ companyUid, doctorId, person, onPerson, wish, onWish, onBack, onDone }: Props) {
  const body = { doctorId, wish: wish.trim(), ...wireOf(person) };
  const { errors, failure, check, refuse } = useFieldErrors(requestBody, body);
  const [busy, setBusy] = useState(false);
  const wishId = useId();
  /** The idempotency key of all tries: after a lost response the clinic gets one request. */
  const key = useRef<string>(undefined);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !check()) return;
    setBusy(true);
    try {
      key.current ??= crypto.randomUUID();
      await send(requestAppointment, { params: { companyUid }, body }, { idempotencyKey: key.current });
      onDone();
    } catch (error) {
      const arrived = isRefusal(error, 'key-reused');
      // The user has read the notice, so the next try is a new request.
      if (arrived) key.current = undefined;
      refuse(error, arrived ? words.arrived : undefined);
      setBusy(false);
    }
  }

  return (
    <form className="rs-form" onSubmit={(event) => void submit(event)} noValidate>
      <p className="rs-text">{words.text}</p>
      {failure && <Notice kind="error">{failure}</Notice>}
      <div className="rs-field">
        <label htmlFor={wishId}>{words.wish}</label>
        <textarea
          id={wishId}
          className="rs-input bk-wish"
          rows={3}
          value={wish}
          maxLength={limits.bookingWish}
          onChange={(event) => onWish(event.target.value)}
          aria-invalid={errors['wish'] ? true : undefined}
          aria-describedby={`${wishId}-foot`}
        />
        <div className="rs-field-foot" id={`${wishId}-foot`}>
          {errors['wish'] ? <span className="rs-field-error">{errors['wish']}</span> : <span>{words.wishHint}</span>}
          <span className="rs-counter">
            {wish.length}/{limits.bookingWish}
          </span>
        </div>
      </div>
      <PersonFields person={person} onChange={onPerson} errors={errors} />
      <Button type="submit" busy={busy}>
        {words.send}
      </Button>
      <Button look="quiet" onClick={onBack}>
        {texts.back}
      </Button>
    </form>
  );
}
