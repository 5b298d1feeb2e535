import { planCreation } from '@roomside/contract/appointments/change.ts';
import { type BookingBody, bookSlot as call } from '@roomside/contract/booking/calls.ts';
import { maxUnverifiedAppointments } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import type { Context } from '../../platform/context.ts';
import { becomePatient, type Tx } from '../../platform/database/database.ts';
import { forAnyone } from '../../platform/http/handler.ts';
import { toE164 } from '../../platform/phone.ts';
import { Refusal } from '../../platform/refusal.ts';
import { attemptsOf, throttle } from '../../platform/throttle.ts';
import { createAppointment } from '../appointments/change-appointment.ts';
import { selectInitialFee } from '../appointments/initial-fee.ts';
import { type Claim, claimProviderTime, lockProvider, slotTaken } from '../appointments/provider-time.ts';
import { readAppointment } from '../notifications/appointment-details.ts';
import { visitCalendar } from '../notifications/calendar.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { confirmContact, needsConfirmation } from './confirm-contact.ts';
import { explained } from './explained.ts';
import { hashedNetworks } from './hashed-networks.ts';
import { isOffered } from './is-offered.ts';
import { openBooking } from './open-booking.ts';
import { insertUnverifiedPatient, requirePastBirth } from './unverified-patient.ts';

/**
 * Books the held start for a new, unverified patient, without a search for existing patients. A repeat (double click, lost
 * response) returns the first booking. An expired hold can be booked while its time is still offered.
 */
export const bookSlot = forAnyone(call, async ({ context, params, body, now, address, request }) => {
  const { firstName, lastName } = body;
  refuseCardNumbers({ firstName, lastName });
  const { companyUid } = params;
  const contacts = contactsOf(body).map((subject) => ({ scope: 'booking-code' as const, subject }));
  await throttle(context, [...attemptsOf('booking', address), ...contacts]);
  const networks = hashedNetworks(context, address);
  const result = await explained(context, companyUid, now, () =>
    openBooking(context, companyUid, now, async (tx, company, afterCommit) => {
      const { companyId } = company;
      const holdUid = normalizeUid(body.holdUid);
      const read = () =>
        tx.selectFrom('holds').selectAll().where('company_id', '=', companyId).where('hold_uid', '=', holdUid);
      const stored = await read().executeTakeFirst();
      if (!stored) throw new Refusal('hold-ended');
      if (stored.appointment_id !== null) return describeBooked(tx, context, stored, now);
      requirePastBirth(body.doB, now, company.timeZone);
      await lockContact(tx, companyId, body);
      // Every claim of this time locks the provider first, then the hold. The hold is read again behind the locks: a
      // simultaneous repeat may have booked it.
      await lockProvider(tx, companyId, stored.doctor_id);
      const hold = await read().forUpdate().executeTakeFirst();
      if (!hold) throw new Refusal('hold-ended');
      if (hold.appointment_id !== null) return describeBooked(tx, context, hold, now);
      const claim: Claim = {
        companyId,
        timeZone: company.timeZone,
        now,
        ignore: { holdUid },
        doctorId: hold.doctor_id,
        startsAt: hold.starts_at,
        endsAt: hold.ends_at,
      };
      if (hold.starts_at <= now) throw slotTaken(claim, null);
      await claimProviderTime(tx, claim);
      // The clinic may have added time off.
      if (!(await isOffered(tx, claim, company.days))) throw slotTaken(claim, null);
      await requireFewUnverified(tx, body, now);
      const booker = { companyId, networks, now, body };
      if (await needsConfirmation(tx, booker)) {
        const refusal = await confirmContact(tx, context, booker, hold);
        // Thrown after the commit, so that sent codes and wrong attempts are stored.
        if (refusal) return { refusal };
      }
      const patientId = await becomePatient(tx);
      await insertUnverifiedPatient(tx, companyId, patientId, body, now);
      const { doctorId, startsAt, endsAt } = claim;
      const plan = planCreation({ doctorId, startsAt, endsAt, patientId, cancelled: false, immediate: false }, now);
      const fee = selectInitialFee(companyId, doctorId);
      const scope = { context, tx, afterCommit, now };
      const { appointment_id: appointmentId } = await createAppointment(scope, plan, claim, { fee, createdBy: null });
      await tx
        .updateTable('holds')
        .set({
          appointment_id: appointmentId,
          patient_id: patientId,
          ...networks,
          booked_at: now,
          confirmation: null,
        })
        .where('hold_uid', '=', holdUid)
        .execute();
      const notice = { companyId, appointmentId, patientId, kind: 'invitation' as const, byUserId: null, now };
      await queueNotification(tx, context, { ...notice, shown: { startsAt, doctorId } });
      audit(tx, {
        caller: null,
        actor: `P_${patientId}`,
        companyId,
        at: now,
        action: call.name,
        path: call.path,
        objects: { patientId, appointmentId },
        address,
        requestId: request.id,
      });
      return describe(tx, context, appointmentId, now);
    }),
  );
  if ('refusal' in result) throw result.refusal;
  return result;
});

/** The email and phone of a booking, in one order and spelling. */
const contactsOf = ({ email, phone }: BookingBody) => [email.trim().toLowerCase(), phone].filter(Boolean).sort();

/** Serializes simultaneous bookings with the same email or phone, so that the limit holds. */
async function lockContact(tx: Tx, companyId: number, body: BookingBody): Promise<void> {
  for (const contact of contactsOf(body)) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`contact ${companyId} ${contact}`}, 0))`.execute(tx);
  }
}

/** Refuses when the email or phone already has the maximum of upcoming appointments of unverified patients. */
async function requireFewUnverified(tx: Tx, { email, phone }: BookingBody, now: string): Promise<void> {
  const { rows } = await sql<{ upcoming: number }>`
    select unverified_ahead(${email.trim()}, ${toE164(phone)}, ${now}) as upcoming`.execute(tx);
  if ((rows[0]?.upcoming ?? 0) >= maxUnverifiedAppointments) throw new Refusal('too-many-bookings');
}

async function describeBooked(
  tx: Tx,
  context: Context,
  hold: { appointment_id: number | null; patient_id: number | null },
  now: string,
) {
  await becomePatient(tx, hold.patient_id ?? -1);
  return describe(tx, context, hold.appointment_id ?? -1, now);
}

async function describe(tx: Tx, context: Context, appointmentId: number, now: string) {
  const appointment = await readAppointment(tx, context, { id: appointmentId });
  // It was cancelled, deleted or merged with another patient since.
  if (!appointment || appointment.cancelled) throw new Refusal('hold-ended');
  return {
    appointmentUid: appointment.appointmentUid,
    accessCode: appointment.accessCode,
    startDate: appointment.startsAt,
    endDate: appointment.endsAt,
    doctor: appointment.doctor,
    calendar: visitCalendar(context, appointment, now).content,
  };
}
