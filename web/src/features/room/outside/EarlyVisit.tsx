import { getVisitCalendar, type Teleappointment } from '@roomside/contract/room/calls.ts';
import { useState } from 'react';
import { wordsFor } from '../../../api/errors.ts';
import { saveFile, sendForFile } from '../../../api/send.ts';
import { to } from '../../../paths.ts';
import { whenOf } from '../../../time/when.ts';
import { fullName } from '../../../ui/full-name.ts';
import { later } from '../../../ui/later.tsx';
import { Button, ButtonLink } from '../../../ui/light/Button.tsx';
import { Page } from '../../../ui/light/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { texts } from './texts.ts';
import './waiting.css';

/** Loads Material's components, which the page does not need. */
const EarlyCheck = later(async () => (await import('../view/EarlyCheck.tsx')).EarlyCheck);

/** More than an hour early: shows when the visit is, a calendar file, and a check of the device. */
export function EarlyVisit({ visit }: { visit: Teleappointment }) {
  const { appointment, timeZone, companyName } = visit;
  const [isChecking, setChecking] = useState(false);
  return (
    <Page eyebrow={texts.early.eyebrow} title={texts.early.title} foot={companyName}>
      <p className="rs-text">{texts.early.intro(fullName(appointment.doctor))}</p>
      <VisitTime startDate={appointment.startDate} timeZone={timeZone} />
      <div className="visit-actions">
        <AddToCalendar uid={appointment.appointmentUid} />
        <ButtonLink look="secondary" href={`#${to.patient()}`}>
          {texts.early.change}
        </ButtonLink>
        <Button look="secondary" onClick={() => setChecking(true)}>
          {texts.checkDevice}
        </Button>
      </div>
      <p className="rs-text visit-note">{texts.early.note}</p>
      {isChecking && <EarlyCheck visit={visit} onClose={() => setChecking(false)} />}
    </Page>
  );
}

/** Date and time in large letters. */
export function VisitTime({ startDate, timeZone }: { startDate: string; timeZone: string }) {
  const { date, time, atClinic } = whenOf(startDate, timeZone);
  return (
    <p className="visit-time">
      <span>{date}</span>
      <strong>{time}</strong>
      {atClinic && <span>{atClinic}</span>}
    </p>
  );
}

/** Downloads the visit as a calendar file. */
export function AddToCalendar({ uid }: { uid: string }) {
  const [busy, setBusy] = useState(false);
  async function download() {
    setBusy(true);
    try {
      saveFile(await sendForFile(getVisitCalendar, { params: { uid } }));
    } catch (error) {
      toast.error(wordsFor(error));
    }
    setBusy(false);
  }
  return (
    <Button look="secondary" busy={busy} onClick={() => void download()}>
      {texts.early.add}
    </Button>
  );
}
