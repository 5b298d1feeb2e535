import { whenOf } from '../../time/when.ts';
import { texts } from './texts.ts';
import '../room/outside/waiting.css';

interface Props {
  startDate: string;
  clinicZone: string;
  doctor: string;
  /** Planned length. */
  minutes?: number;
}

/** Date, time in the reader's zone, clinic time where it differs, the provider, and the length where it is given. */
export function Visit({ startDate, clinicZone, doctor, minutes }: Props) {
  const { date, time, atClinic } = whenOf(startDate, clinicZone);
  const about = minutes === undefined ? doctor && texts.details.with(doctor) : texts.length(minutes, doctor);
  return (
    <section className="visit-time" aria-label={texts.details.visit}>
      <span>{date}</span>
      <strong>{time}</strong>
      {atClinic && <span>{atClinic}</span>}
      {about && <span>{about}</span>}
    </section>
  );
}
