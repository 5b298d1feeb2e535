import { type BookingBody, bookingBody } from '@roomside/contract/booking/calls.ts';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { TextField } from '../../ui/light/TextField.tsx';
import type { Confirmation } from './booking-state.ts';
import { checkFields, fieldsOf, focusFirstError } from './field-errors.ts';
import { texts } from './texts.ts';

const words = texts.confirm;

interface Props {
  /** The booking without the code. */
  body: BookingBody;
  /** Where the code was sent, as typed. */
  contact: string;
  /** Books with a code, or has a new one sent. Resolves with whether one was sent: also when the typed code has ended. */
  onConfirm: (confirmation: Confirmation) => Promise<boolean>;
  onChange: () => void;
}

const digitsOf = (typed: string) => typed.replace(/\D/g, '');

/** Asks for the code that was sent to the contact, while the slot is held. */
export function ConfirmStep({ body, contact, onConfirm, onChange }: Props) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [notice, setNotice] = useState<'sentAgain' | 'ended'>();
  const [busy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const field = useRef<HTMLInputElement>(null);

  const errorOf = (typed: string) => checkFields(bookingBody, { ...body, code: digitsOf(typed) })['code'];

  async function run(confirmation: Confirmation) {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    setNotice(undefined);
    try {
      if (await onConfirm(confirmation)) {
        setCode('');
        setNotice('code' in confirmation ? 'ended' : 'sentAgain');
        if ('code' in confirmation) field.current?.focus();
      }
    } catch (failure) {
      setError(fieldsOf(failure)['code'] ?? wordsFor(failure));
      focusFirstError();
    }
    setBusy(false);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const found = errorOf(code);
    if (found) {
      setError(found);
      focusFirstError();
      return;
    }
    void run({ code: digitsOf(code) });
  }

  return (
    <form className="rs-form" onSubmit={submit} noValidate>
      <h2 className="bk-confirm" ref={heading} tabIndex={-1}>
        {words.title}
      </h2>
      <p className="rs-text">{words.sent(contact)}</p>
      {notice && <Notice kind={notice === 'ended' ? 'error' : 'success'}>{words[notice]}</Notice>}
      <TextField
        ref={field}
        id="bk-code"
        label={words.code}
        value={code}
        onChange={(typed) => {
          setCode(typed);
          if (error !== undefined) setError(errorOf(typed));
        }}
        error={error}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        required
      />
      <Button type="submit" busy={busy}>
        {texts.details.book}
      </Button>
      <Button look="quiet" onClick={() => void run({ sendAgain: true })}>
        {words.again}
      </Button>
      <Button look="quiet" onClick={onChange}>
        {words.change}
      </Button>
    </form>
  );
}
