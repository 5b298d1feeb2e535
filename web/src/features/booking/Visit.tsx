import { whenOf } from '../room/outside/visit-words.ts';
import { texts } from './texts.ts';
import '../room/outside/waiting.css';

/** Date, time in the reader's zone, clinic time where it differs, and the provider. */
export function Visit({ startDate, clinicZone, doctor }: { startDate: string; clinicZone: string; doctor: string }) {
  const { date, time, atClinic } = whenOf(startDate, clinicZone);
  return (
    <section className="visit-time" aria-label={texts.details.visit}>
      <span>{date}</span>
      <strong>{time}</strong>
      {atClinic && <span>{atClinic}</span>}
      {doctor && <span>{texts.details.with(doctor)}</span>}
    </section>
  );
}
