import {
  type BookableStart,
  bookVisit,
  type ContactConfirmation,
  getBookingPage,
  holdSlot,
  listBookingSlots,
  releaseSlot,
} from '@roomside/contract/booking/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { normaliseUid } from '@roomside/contract/normalise-uid.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, useRead } from '../../api/use-call.ts';
import { now } from '../../time/time.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { fullName } from '../room/outside/visit-words.ts';
import {
  type Access,
  type BookingState,
  bookedState,
  freshBooking,
  loadBooking,
  type Person,
  saveBooking,
} from './booking-state.ts';
import { DetailsStep } from './DetailsStep.tsx';
import { DoneStep } from './DoneStep.tsx';
import { ProviderStep } from './ProviderStep.tsx';
import { RequestStep } from './RequestStep.tsx';
import { TakenNotice } from './TakenNotice.tsx';
import { texts } from './texts.ts';
import { WhenStep } from './WhenStep.tsx';
import './booking.css';

type Clinic = ResultOf<typeof getBookingPage>;
const steps = ['provider', 'when', 'details', 'done', 'request', 'asked'] as const;
type Step = (typeof steps)[number];

/** /patient/book/{companyUid}: booking by link, without an account. */
export function BookingPage() {
  const { companyUid = '' } = useParams();
  const uid = normaliseUid(companyUid);
  const { data, error, refetch } = useRead(getBookingPage, { params: { companyUid: uid } }, { staleTime: 300_000 });
  if (data) return <Booking key={uid} companyUid={uid} clinic={data} />;
  if (!error) {
    return (
      <Page eyebrow={texts.eyebrow} title={titles.provider} className="bk-page bk-wide">
        <div className="bk-shape" role="status" aria-label={uiTexts.loading} />
      </Page>
    );
  }
  const isExpired = isRefusal(error, 'clinic-closed');
  const isClosed = isExpired || isRefusal(error, 'not-found') || isRefusal(error, 'malformed');
  return (
    <Page
      eyebrow={texts.eyebrow}
      title={isClosed ? texts.closed.title : uiTexts.fallback.title}
      className="bk-page bk-wide"
    >
      {isClosed ? (
        <p className="rs-text">{isExpired ? wordsFor(error) : texts.closed.text}</p>
      ) : (
        <>
          <Notice kind="error">{wordsFor(error)}</Notice>
          <Button onClick={() => void refetch()}>{uiTexts.tryAgain}</Button>
        </>
      )}
    </Page>
  );
}

/** Returns the step of the address, or the latest earlier one for which the data is complete. */
function stepOf(asked: string | null, state: BookingState): Step {
  if (state.booked) return 'done';
  const step = steps.find((name) => name === asked) ?? 'provider';
  if (step === 'done') return 'provider';
  if (step === 'details' && !state.held) return state.doctorId === null ? 'provider' : 'when';
  return step === 'when' && state.doctorId === null ? 'provider' : step;
}

const titles: Record<Step, string> = {
  provider: texts.provider.title,
  when: texts.when.title,
  details: texts.details.title,
  done: texts.done.title,
  request: texts.request.title,
  asked: texts.request.doneTitle,
};

function Booking({ companyUid, clinic }: { companyUid: string; clinic: Clinic }) {
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [state, setState] = useState(() => loadBooking(companyUid));
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string>();
  /** The start that was given back. */
  const [near, setNear] = useState<string>();
  const [taken, setTaken] = useState<readonly BookableStart[]>();
  const [access, setAccess] = useState<Access>();
  /** The hold and contact of an attempt that may have booked. */
  const submitted = useRef<{ holdUid: string; contact: string }>(undefined);
  useEffect(() => saveBooking(companyUid, state), [companyUid, state]);

  const step = stepOf(search.get('step'), state);
  const go = (next: Step) => setSearch({ step: next });
  const change = (part: Partial<BookingState>) => setState((old) => ({ ...old, ...part }));
  const doctorOf = (id: number) => clinic.providers.find(({ userId }) => userId === id);

  /** Holds a start; returns whether it worked. For a taken one it shows free starts. */
  async function keep({ startDate, doctorId }: BookableStart): Promise<boolean> {
    setBusy(startDate);
    setFailure(undefined);
    setTaken(undefined);
    try {
      const body = { holder: state.holder, doctorId, startDate };
      const held = await send(holdSlot, { params: { companyUid }, body });
      const until = Date.parse(now()) + Date.parse(held.expires) - Date.parse(held.now);
      change({ held: { holdUid: held.holdUid, startDate: held.startDate, doctorId: held.doctorId, until } });
      return true;
    } catch (error) {
      if (isRefusal(error, 'slot-taken')) tell(error.current as TakenSlot | undefined);
      else setFailure(wordsFor(error));
      return false;
    } finally {
      setBusy(null);
    }
  }

  function tell(current: TakenSlot | undefined) {
    setTaken(current?.free ?? []);
    void invalidate(client, [listBookingSlots]);
  }

  /** Releases the hold immediately instead of after five minutes. */
  function giveBack() {
    const holdUid = state.held?.holdUid;
    setNear(state.held?.startDate);
    change({ held: null });
    setTaken(undefined);
    go('when');
    if (holdUid === undefined) return;
    void send(releaseSlot, { params: { companyUid, holdUid } })
      // The hold expires anyway.
      .catch(() => undefined)
      .then(() => invalidate(client, [listBookingSlots]));
  }

  async function pick(start: BookableStart) {
    if (await keep(start)) go('details');
  }

  const book: Parameters<typeof DetailsStep>[0]['onBook'] = async (person, confirmation) => {
    if (!state.held) return undefined;
    setTaken(undefined);
    const contact = contactOf(state.person);
    // After a lost response the server returns what it has booked then, and sends nothing to another contact.
    const isFirst = submitted.current?.holdUid !== state.held.holdUid;
    const isSame = isFirst || submitted.current?.contact === contact;
    submitted.current = { holdUid: state.held.holdUid, contact };
    try {
      const booked = await send(bookVisit, {
        params: { companyUid },
        body: { holdUid: state.held.holdUid, ...person, ...confirmation },
      });
      setAccess({ ...booked, contact: isSame ? contact : null });
      setState(bookedState(booked));
      setSearch({ step: 'done' }, { replace: true });
    } catch (error) {
      if (isRefusal(error, 'confirm-contact')) {
        const confirm = error.current as ContactConfirmation;
        const until = Date.parse(now()) + Date.parse(confirm.expires) - Date.parse(confirm.now);
        change({ held: { ...state.held, until } });
        submitted.current = undefined;
        return confirm;
      }
      if (!isRefusal(error, 'slot-taken')) throw error;
      tell(error.current as TakenSlot | undefined);
    }
    return undefined;
  };

  const providerName = state.held ? fullName(doctorOf(state.held.doctorId) ?? { firstName: '', lastName: '' }) : '';
  const number = { provider: 1, when: 2, details: 3 }[step as 'provider'];
  const wanted = doctorOf(state.doctorId ?? 0);
  return (
    <Page
      key={step}
      eyebrow={clinic.companyName}
      step={number === undefined ? undefined : texts.step(number, 3)}
      title={titles[step]}
      className={number === undefined ? 'bk-page' : 'bk-page bk-wide'}
    >
      {failure && <Notice kind="error">{failure}</Notice>}
      {taken && (
        <TakenNotice free={taken} clinicZone={clinic.timeZone} busy={busy} onPick={(start) => void pick(start)} />
      )}
      {step === 'provider' && (
        <ProviderStep
          providers={clinic.providers}
          onPick={(doctorId) => {
            change({ doctorId });
            go('when');
          }}
        />
      )}
      {step === 'when' && (
        <>
          <p className="rs-text bk-length">
            {texts.length(clinic.duration, wanted ? fullName(wanted) : texts.provider.withAnyone)}
          </p>
          <WhenStep
            companyUid={companyUid}
            doctorId={state.doctorId ?? 0}
            bounds={{ from: clinic.firstDay, to: clinic.lastDay }}
            near={state.held?.startDate ?? near}
            clinicZone={clinic.timeZone}
            busy={busy}
            onPick={(start) => void pick(start)}
            nothing={<Nothing />}
          />
          {clinic.allowReq && (
            <Button look="quiet" onClick={() => go('request')}>
              {texts.when.ask}
            </Button>
          )}
          <Button look="quiet" onClick={() => go('provider')}>
            {texts.back}
          </Button>
        </>
      )}
      {step === 'details' && state.held && (
        <DetailsStep
          held={state.held}
          minutes={clinic.duration}
          clinicZone={clinic.timeZone}
          doctor={providerName}
          person={state.person}
          onPerson={(person) => change({ person })}
          onBook={book}
          onKeepAgain={async () => void (state.held && (await keep(state.held)))}
          onOtherTime={giveBack}
        />
      )}
      {step === 'request' && (
        <RequestStep
          companyUid={companyUid}
          doctorId={state.doctorId ?? 0}
          person={state.person}
          onPerson={(person) => change({ person })}
          wish={state.wish}
          onWish={(wish) => change({ wish })}
          onBack={() => go('when')}
          onDone={() => {
            setState(freshBooking());
            setSearch({ step: 'asked' }, { replace: true });
          }}
        />
      )}
      {step === 'asked' && <Notice kind="success">{texts.request.done}</Notice>}
      {step === 'done' && state.booked && (
        <DoneStep
          booked={state.booked}
          access={access}
          clinicZone={clinic.timeZone}
          onAnother={() => {
            setState(freshBooking());
            setAccess(undefined);
            go('provider');
          }}
        />
      )}
    </Page>
  );
}

/** Where the confirmation of a booking is sent, as typed. */
function contactOf({ email, phone }: Person): string {
  const [one, other] = [email.trim(), phone.trim()].filter(Boolean);
  return one && other ? texts.done.both(one, other) : (one ?? '');
}

function Nothing() {
  return <p className="rs-text">{`${texts.when.noneAtAll} ${texts.when.call}`}</p>;
}
