import { type BookingBody, bookVisit as call } from '@roomside/contract/booking/calls.ts';
import { maxUnverifiedVisits } from '@roomside/contract/limits.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import type { Context } from '../../platform/context.ts';
import { becomePatient, type Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { networksOf } from '../../platform/http/networks.ts';
import { toE164 } from '../../platform/phone.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { createAppointment } from '../appointments/change-appointment.ts';
import { type Claim, claimProviderTime, lockProvider, slotTaken } from '../appointments/provider-time.ts';
import { readAppointment } from '../notifications/appointment-details.ts';
import { visitCalendar } from '../notifications/calendar.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { confirmContact, needsConfirmation } from './confirm-contact.ts';
import { explained } from './explained.ts';
import { isOffered } from './is-offered.ts';
import { openBooking } from './open-booking.ts';
import { insertUnverifiedPatient, requirePastBirth } from './unverified-patient.ts';

/**
 * Decisions, 5: the held start becomes a visit of a new, unverified patient; nobody who is already known is looked up.
 * A repeat (double click, lost answer) answers what the first one did. A hold that has run out is as good as a held one
 * while the time is on offer.
 */
export const bookVisit = forAnyone(call, async ({ context, params, body, now, address, request }) => {
  const { firstName, lastName } = body;
  refuseCardNumbers({ firstName, lastName });
  const { companyUid } = params;
  await throttle(context, attemptsOf('booking', address));
  const from = context.keys.mac('subject', networksOf(address).customer);
  const answer = await explained(context, companyUid, now, () =>
    openBooking(context, companyUid, now, async (tx, company, afterCommit) => {
      const { companyId } = company;
      const holdUid = normaliseUid(body.holdUid);
      const read = () =>
        tx.selectFrom('holds').selectAll().where('company_id', '=', companyId).where('hold_uid', '=', holdUid);
      const seen = await read().executeTakeFirst();
      if (!seen) throw new Refusal('hold-ended');
      if (seen.appointment_id !== null) return answerAgain(tx, context, seen, now);
      requirePastBirth(body.doB, now, company.timeZone);
      await waitForContact(tx, companyId, body);
      // The provider first, then the hold: in the order of everybody who wants this time. What was read before may have
      // changed while this waited: the same booking, sent twice at once, has been made.
      await lockProvider(tx, companyId, seen.doctor_id);
      const hold = await read().forUpdate().executeTakeFirst();
      if (!hold) throw new Refusal('hold-ended');
      if (hold.appointment_id !== null) return answerAgain(tx, context, hold, now);
      const claim: Claim = {
        ...{ companyId, timeZone: company.timeZone, now, own: { holdUid } },
        ...{ doctorId: hold.doctor_id, startsAt: hold.starts_at, endsAt: hold.ends_at },
      };
      if (hold.starts_at <= now) throw slotTaken(claim, null);
      await claimProviderTime(tx, claim);
      // Since it ran out the clinic may have closed that day, or the provider be on leave.
      if (hold.expires_at <= now && !(await isOffered(tx, claim, company.days))) throw slotTaken(claim, null);
      await requireRoomForVisit(tx, body, now);
      const booker = { companyId, address: from, now, body };
      if (await needsConfirmation(tx, booker)) {
        const refusal = await confirmContact(tx, context, booker, hold);
        // Thrown after the commit: the code that was sent, or the wrong one, counts.
        if (refusal) return { refusal };
      }
      const patientId = await becomePatient(tx);
      await insertUnverifiedPatient(tx, companyId, patientId, body, now);
      const { appointment_id: appointmentId } = await createAppointment(
        { context, tx, afterCommit, now },
        claim,
        patientId,
        { fee: initialFee(companyId, claim.doctorId), createdBy: null },
      );
      await tx
        .updateTable('holds')
        .set({
          appointment_id: appointmentId,
          patient_id: patientId,
          address: from,
          booked_at: now,
          confirmation: null,
        })
        .where('hold_uid', '=', holdUid)
        .execute();
      const notice = { companyId, appointmentId, patientId, kind: 'invitation' as const, byUserId: null, now };
      await queueNotification(tx, context, notice);
      audit(tx, {
        ...{ caller: null, actor: `P_${patientId}`, companyId, at: now, action: call.name, path: call.path },
        ...{ objects: { patientId, appointmentId }, address, requestId: request.id },
      });
      return describe(tx, context, appointmentId, now);
    }),
  );
  if ('refusal' in answer) throw answer.refusal;
  return answer;
});

/** Those who book with the same email or phone at once count one after the other. */
async function waitForContact(tx: Tx, companyId: number, { email, phone }: BookingBody): Promise<void> {
  for (const contact of [email.trim().toLowerCase(), phone].filter(Boolean).sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`contact ${companyId} ${contact}`}, 0))`.execute(tx);
  }
}

/** A few visits ahead may wait for the clinic to recognise who it is; more would be somebody filling the calendar. */
async function requireRoomForVisit(tx: Tx, { email, phone }: BookingBody, now: string): Promise<void> {
  const { rows } = await sql<{ ahead: number }>`
    select unverified_ahead(${email.trim()}, ${toE164(phone)}, ${now}) as ahead`.execute(tx);
  if ((rows[0]?.ahead ?? 0) >= maxUnverifiedVisits) throw new Refusal('too-many-bookings');
}

/** The fee that a new appointment of a provider begins with: the provider's, else the company's. */
const initialFee = (companyId: number, doctorId: number) => sql<string>`(
  select coalesce(d.self_pay_fee, c.self_pay_fee) from companies c
  left join users d on d.company_id = c.company_id and d.user_id = ${doctorId} where c.company_id = ${companyId})`;

async function answerAgain(
  tx: Tx,
  context: Context,
  hold: { appointment_id: number | null; patient_id: number | null },
  now: string,
) {
  await becomePatient(tx, hold.patient_id ?? -1);
  return describe(tx, context, hold.appointment_id ?? -1, now);
}

async function describe(tx: Tx, context: Context, appointmentId: number, now: string) {
  const visit = await readAppointment(tx, context, { id: appointmentId });
  // Cancelled and deleted since, or joined with another patient.
  if (!visit || visit.cancelled) throw new Refusal('hold-ended');
  return {
    appointmentUid: visit.appointmentUid,
    accessCode: visit.accessCode,
    startDate: visit.startsAt,
    endDate: visit.endsAt,
    doctor: visit.doctor,
    calendar: visitCalendar(context, visit, now).content,
  };
}
