import { type AppointmentBody, saveAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { durationBounds } from '@roomside/contract/limits.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type Insertable, sql, type Updateable } from 'kysely';
import { createAccessCode, newUid, storedCode } from '../../platform/access-code.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import type { Context } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import type { Appointments } from '../../platform/database/schema.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { type EarlierMessages, type Moved, queueNewTime } from '../notifications/new-time.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { wasNotified } from '../notifications/was-notified.ts';
import { requireNotBegun, visitColumns } from './appointment-rows.ts';
import { endRoomForPatients } from './end-room.ts';
import { type Claim, claimProviderTime, lockProvider, slotTaken } from './provider-time.ts';
import { requireActive, requirePatient } from './require-patient.ts';
import { writeAppointment, writeMove } from './write-move.ts';

/**
 * CALL-4: makes or saves an appointment. Over a newer version it answers 409 with what is stored; a taken time 409 with
 * the appointment in the way, until the repeat carries `overbook`. Cancelling replaces the code, which ends the link. A
 * patient who was notified of the appointment is notified of its cancellation and of a new time.
 */
export const saveAppointment = forStaff(call, async ({ context, caller, body, tx, now, touched, afterCommit }) => {
  const known = body.appointmentId === 0 ? null : await readKnown(tx, body.appointmentId, body.patientId);
  const stored = known?.stored ?? null;
  if (stored && stored.version !== body.version) throw new Refusal('stale', { current: { version: stored.version } });
  const { cancellationNotes, welcomeMessage, externalId } = body;
  refuseCardNumbers({ cancellationNotes, welcomeMessage, externalId });
  const otherPatient = stored !== null && stored.patient_id !== body.patientId;
  if (otherPatient) {
    await requireSamePerson(tx, body.patientId, stored);
    await requireUntouched(tx, stored.appointment_id);
  }
  const defaults = stored ? null : await readDefaults(tx, caller, body.doctorId);

  const startsAt = new Date(body.startDate).toISOString();
  const endsAt = addMinutes(startsAt, body.minutes ?? (stored ? minutesOf(stored) : (defaults?.duration ?? 0)));
  const restarted = stored !== null && stored.starts_at !== startsAt;
  const elsewhere = restarted || (stored !== null && stored.doctor_id !== body.doctorId);
  const moved = !stored || elsewhere || stored.ends_at !== endsAt;
  const wakes = stored?.cancelled === true && !body.cancelled;
  const isNew = !stored || otherPatient;
  if (isNew) await requirePatient(tx, body.patientId, { isNew });
  else if (wakes || (elsewhere && !body.cancelled)) requireActive(known?.standing);
  // A visit that has begun keeps its time: the room of one that is over stays closed.
  if (known && elsewhere) requireNotBegun({ ...known.stored, ...known.standing }, now);
  const cancels = body.cancelled && !stored?.cancelled;
  const claim: Claim = {
    ...{ companyId: caller.companyId, timeZone: caller.timeZone, doctorId: body.doctorId, startsAt, endsAt, now },
    own: { appointmentId: body.appointmentId, holds: 'ignore' },
    staff: { overbook: body.overbook ?? false },
  };
  const claimed = !body.cancelled && (moved || wakes) ? await claimProviderTime(tx, claim) : null;
  if (!claimed && stored?.doctor_id !== body.doctorId) await lockProvider(tx, caller.companyId, body.doctorId);
  const fee = feeOf(caller, body, stored?.fee ?? defaults?.fee ?? '0');

  const appointmentUid = stored?.appointment_uid ?? newUid();
  const sealing = { companyId: caller.companyId, now };
  const reason = sealedPlaces.cancellationNotes(appointmentUid);
  const edited = {
    patient_id: body.patientId,
    doctor_id: body.doctorId,
    starts_at: startsAt,
    ends_at: endsAt,
    cancelled: body.cancelled,
    cancelled_at: body.cancelled ? (stored?.cancelled_at ?? now) : null,
    cancellation_notes: await sealText(tx, context.keys, sealing, body.cancellationNotes, reason),
    external_id: body.externalId,
    welcome_message: body.welcomeMessage,
    fee,
    ...(claimed && { overbooked: claimed.overbooked, immediate: false }),
    ...((restarted || wakes) && { start_set_at: now }),
  };
  const newCode = body.accessCode === '*' || cancels || otherPatient;
  const code = () => storedCode(tx, context.keys, createAccessCode(), { ...sealing, appointmentUid });
  const moves = elsewhere && !otherPatient && !body.cancelled && !wakes;
  const saved = stored
    ? await update(tx, claim, stored, moves, {
        ...edited,
        ...(newCode && (await code())),
        version: stored.version + 1,
        calendar_sequence: stored.calendar_sequence + (moved || cancels || wakes ? 1 : 0),
      })
    : await insert(tx, caller, claim, { ...edited, ...(await code()), appointment_uid: appointmentUid });
  if (stored && newCode) await sql`select end_patient_sign_ins(${stored.appointment_id}, ${now})`.execute(tx);
  if (stored && cancels) afterCommit(await endRoomForPatients(tx, context, caller, stored.appointment_id));
  await collect(tx, caller, saved.appointment_id, body, stored?.collected ?? '0', fee, now);
  if (stored) {
    await notifyOfChange(tx, context, stored, {
      ...{ companyId: caller.companyId, appointmentId: stored.appointment_id, patientId: body.patientId, now },
      ...{ byUserId: caller.userId, from: placeOf(stored), to: { startsAt, doctorId: body.doctorId } },
      ...{ told: saved.told, cancels },
    });
  }
  touched('appointmentId', saved.appointment_id);
  touched('patientId', body.patientId);
  afterCommit(() => context.push.schedule(caller.companyId));
  return { appointmentId: saved.appointment_id, appointmentUid: saved.appointment_uid, version: saved.version };
});

interface Change extends Omit<Moved, 'hold'> {
  /** null = it was not moved. */
  told: EarlierMessages | null;
  cancels: boolean;
}

const placeOf = (stored: Stored) => ({ startsAt: stored.starts_at, doctorId: stored.doctor_id });

/**
 * Notifies the patient of a change to an upcoming visit, if a message about it has reached or will reach them. A
 * re-activated one needs a new invitation, which staff send themselves.
 */
async function notifyOfChange(tx: Tx, context: Context, stored: Stored, change: Change): Promise<void> {
  const { told, cancels, from, to, ...visit } = change;
  if (told) return void (await queueNewTime(tx, context, { ...visit, from, to, hold: false }, told));
  if (!cancels) return;
  const known = await tx.selectNoFrom(wasNotified(stored.appointment_id).as('told')).executeTakeFirstOrThrow();
  if (known.told && stored.ends_at > visit.now) await queueNotification(tx, context, { ...visit, kind: 'cancelled' });
}

type Stored = Awaited<ReturnType<typeof readKnown>>['stored'];

/** What is stored of an appointment, locked, and what decides whether it may have a new time and that patient. */
async function readKnown(tx: Tx, appointmentId: number, patientId: number) {
  const [[stored], [standing]] = await inOneTrip(
    tx,
    lockedAppointment({ appointmentId }),
    standingOf({ appointmentId, patientId }),
  );
  if (!stored || !standing) throw notFound();
  return { stored, standing };
}

/** Whether the patient is archived, and what has happened to the appointment. */
const standingOf = prepared((tx, { appointmentId, patientId }: { appointmentId: number; patientId: number }) =>
  tx
    .selectFrom('patients as p')
    .leftJoin('visits as v', (join) => join.on('v.appointment_id', '=', appointmentId))
    .where('p.patient_id', '=', patientId)
    .select('p.archived_at')
    .select(visitColumns),
);

const lockedAppointment = prepared((tx, { appointmentId }: { appointmentId: number }) =>
  tx
    .selectFrom('appointments')
    .select([
      'appointment_id',
      'appointment_uid',
      'version',
      'starts_at',
      'ends_at',
      'doctor_id',
      'patient_id',
      'cancelled',
      'cancelled_at',
      'fee',
      'calendar_sequence',
      sql<string>`(select coalesce(sum(l.amount), 0)::numeric(10,2) from ledger l where l.appointment_id = appointments.appointment_id)`.as(
        'collected',
      ),
    ])
    .where('appointment_id', '=', appointmentId)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate(),
);

const minutesOf = (span: { starts_at: string; ends_at: string }) =>
  Math.min(
    durationBounds.max,
    Math.max(durationBounds.min, (Date.parse(span.ends_at) - Date.parse(span.starts_at)) / 60_000),
  );

/** The form was opened before its patient was joined with the one who has the visit now. */
async function requireSamePerson(tx: Tx, patientId: number, stored: Stored): Promise<void> {
  const joined = await tx
    .selectFrom('patients')
    .select('merged_into')
    .where('patient_id', '=', patientId)
    .where('merged_into', '=', stored.patient_id)
    .executeTakeFirst();
  if (joined) throw new Refusal('stale', { current: { version: stored.version } });
}

/** What was said, paid or held with one patient never becomes another one's; nor does a visit that he was told of. */
async function requireUntouched(tx: Tx, appointmentId: number): Promise<void> {
  const { touched, told } = await tx
    .selectNoFrom([
      sql<boolean>`exists (select 1 from chat_messages where appointment_id = ${appointmentId})
        or exists (select 1 from ledger where appointment_id = ${appointmentId})
        or exists (select 1 from visits where appointment_id = ${appointmentId} and first_arrived_at is not null)`.as(
        'touched',
      ),
      wasNotified(appointmentId).as('told'),
    ])
    .executeTakeFirstOrThrow();
  if (touched) throw new Refusal('has-activity');
  if (told) throw new Refusal('patient-notified');
}

/** The company's length of a visit, and the fee a new one begins with: the provider's, else the company's. */
async function readDefaults(tx: Tx, caller: StaffCaller, doctorId: number) {
  return tx
    .selectFrom('companies as c')
    .leftJoin('users as d', (join) => join.onRef('d.company_id', '=', 'c.company_id').on('d.user_id', '=', doctorId))
    .select(['c.duration', sql<string>`coalesce(d.self_pay_fee, c.self_pay_fee)`.as('fee')])
    .where('c.company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
}

/** Only administrators write fees. */
const feeOf = (caller: StaffCaller, body: AppointmentBody, otherwise: string): string =>
  may(caller.role, 'fee.write') && body.fee !== undefined ? fromCents(toCents(body.fee)) : otherwise;

interface Values extends Updateable<Appointments> {
  version: number;
  doctor_id: number;
  patient_id: number;
}

async function update(tx: Tx, claim: Claim, stored: Stored, moves: boolean, values: Values) {
  const { appointment_id, appointment_uid } = stored;
  const { version, doctor_id, patient_id } = values;
  const told = moves
    ? await writeMove(tx, claim, appointment_id, values)
    : await writeAppointment(tx, claim, appointment_id, values);
  if (doctor_id !== stored.doctor_id || patient_id !== stored.patient_id) {
    await tx
      .updateTable('visits')
      .set({ doctor_id, patient_id })
      .where('appointment_id', '=', appointment_id)
      .execute();
  }
  return { appointment_id, appointment_uid, version, told };
}

type Edited = Omit<Insertable<Appointments>, 'company_id' | 'created_at'>;

/** A rival who slipped past the provider's lock (another way of writing) meets the exclusion constraint: one winner. */
async function insert(tx: Tx, caller: StaffCaller, claim: Claim, edited: Edited) {
  const saved = await tx
    .insertInto('appointments')
    .values({
      ...edited,
      company_id: caller.companyId,
      created_by: caller.userId,
      created_at: claim.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['appointment_id', 'appointment_uid', 'version'])
    .executeTakeFirst();
  if (!saved) throw slotTaken(claim, null);
  return { ...saved, told: null };
}

/** Typing an amount writes the difference into the ledger; more than the fee is refused (decisions, 7). */
async function collect(
  tx: Tx,
  caller: StaffCaller,
  appointmentId: number,
  body: AppointmentBody,
  sum: string,
  fee: string,
  now: string,
): Promise<void> {
  const typed = may(caller.role, 'fee.write') && body.collected !== undefined ? toCents(body.collected) : toCents(sum);
  if (typed > toCents(fee) && (typed !== toCents(sum) || body.fee !== undefined)) {
    throw new Refusal('collected-above-fee', { fields: { collected: new Refusal('collected-above-fee').message } });
  }
  const difference = typed - toCents(sum);
  if (difference === 0) return;
  await tx
    .insertInto('ledger')
    .values({
      company_id: caller.companyId,
      appointment_id: appointmentId,
      patient_id: body.patientId,
      kind: 'manual',
      amount: fromCents(difference),
      by_user_id: caller.userId,
      at: now,
    })
    .execute();
}
