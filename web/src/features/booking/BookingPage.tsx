import { type BookableStart, getBookingPage } from '@roomside/contract/booking/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { useParams, useSearchParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { useRead } from '../../api/use-call.ts';
import { fullName } from '../../ui/full-name.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { Page } from '../../ui/light/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import type { BookingState } from './booking-state.ts';
import { DetailsStep } from './DetailsStep.tsx';
import { DoneStep } from './DoneStep.tsx';
import { ProviderStep } from './ProviderStep.tsx';
import { RequestStep } from './RequestStep.tsx';
import { TakenNotice } from './TakenNotice.tsx';
import { texts } from './texts.ts';
import { useBooking } from './use-booking.ts';
import { WhenStep } from './WhenStep.tsx';
import './booking.css';

type Clinic = ResultOf<typeof getBookingPage>;
const steps = ['provider', 'when', 'details', 'done', 'request', 'asked'] as const;
type Step = (typeof steps)[number];

/** /patient/book/{companyUid}: booking by link, without an account. */
export function BookingPage() {
  const { companyUid = '' } = useParams();
  const uid = normalizeUid(companyUid);
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
  const [search, setSearch] = useSearchParams();
  const booking = useBooking(companyUid);
  const { state, change, taken, busy, failure } = booking;
  const step = stepOf(search.get('step'), state);
  const go = (next: Step) => setSearch({ step: next });
  const replace = (next: Step) => setSearch({ step: next }, { replace: true });

  async function pick(start: BookableStart) {
    if (await booking.hold(start)) go('details');
  }

  const number = { provider: 1, when: 2, details: 3 }[step as 'provider'];
  return (
    <Page
      // A code that was sent is for one hold only: the details of another one begin again.
      key={step === 'details' ? state.held?.holdUid : step}
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
        <Times
          companyUid={companyUid}
          clinic={clinic}
          booking={booking}
          onPick={(start) => void pick(start)}
          onAsk={() => go('request')}
          onBack={() => go('provider')}
        />
      )}
      {step === 'details' && state.held && (
        <DetailsStep
          held={state.held}
          minutes={clinic.duration}
          clinicZone={clinic.timeZone}
          doctor={nameOf(clinic, state.held.doctorId) ?? ''}
          person={state.person}
          onPerson={(person) => change({ person })}
          onBook={(person, confirmation) => booking.book(person, confirmation, () => replace('done'))}
          onKeepAgain={async () => void (state.held && (await booking.hold(state.held)))}
          onOtherTime={() => {
            booking.release();
            go('when');
          }}
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
            booking.restart();
            replace('asked');
          }}
        />
      )}
      {step === 'asked' && <Notice kind="success">{texts.request.done}</Notice>}
      {step === 'done' && state.booked && (
        <DoneStep
          booked={state.booked}
          access={booking.access}
          clinicZone={clinic.timeZone}
          onAnother={() => {
            booking.restart();
            go('provider');
          }}
        />
      )}
    </Page>
  );
}

interface TimesProps {
  companyUid: string;
  clinic: Clinic;
  booking: ReturnType<typeof useBooking>;
  onPick: (start: BookableStart) => void;
  onAsk: () => void;
  onBack: () => void;
}

/** The second step: free times, and what is offered beside them. */
function Times({ companyUid, clinic, booking: { state, near, busy }, onPick, onAsk, onBack }: TimesProps) {
  const name = nameOf(clinic, state.doctorId ?? 0);
  return (
    <>
      <p className="rs-text bk-length">{texts.length(clinic.duration, name ?? texts.provider.withAnyone)}</p>
      <WhenStep
        companyUid={companyUid}
        doctorId={state.doctorId ?? 0}
        bounds={{ from: clinic.firstDay, to: clinic.lastDay }}
        near={state.held?.startDate ?? near}
        clinicZone={clinic.timeZone}
        busy={busy}
        onPick={onPick}
        nothing={<p className="rs-text">{`${texts.when.noneAtAll} ${texts.when.call}`}</p>}
      />
      {clinic.allowReq && (
        <Button look="quiet" onClick={onAsk}>
          {texts.when.ask}
        </Button>
      )}
      <Button look="quiet" onClick={onBack}>
        {texts.back}
      </Button>
    </>
  );
}

function nameOf(clinic: Clinic, doctorId: number): string | undefined {
  const provider = clinic.providers.find(({ userId }) => userId === doctorId);
  return provider && fullName(provider);
}
