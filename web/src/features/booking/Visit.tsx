import { whenOf } from '../room/visit-words.ts';
import { texts } from './texts.ts';
import '../room/waiting.css';

/** The visit in large letters: date and time by the reader's clock, the clinic's where it differs, and with whom. */
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
