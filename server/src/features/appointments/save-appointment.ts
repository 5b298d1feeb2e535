import { type AppointmentBody, saveAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { durationBounds } from '@roomside/contract/limits.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Appointments } from '../../platform/database/schema.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { endRoomForPatients } from '../room/end-room.ts';
import { makeCode, newUid, storedCode } from './access-code.ts';
import { claimProviderTime, lockProvider } from './provider-time.ts';

/**
 * CALL-4: makes or saves an appointment. Over a newer version it answers 409 with what is stored; a taken time 409 with
 * the appointment in the way, until the repeat carries `overbook`. Cancelling replaces the code, which ends the link.
 */
export const saveAppointment = forStaff(call, async ({ context, caller, body, tx, now, touched, afterCommit }) => {
  const stored = body.appointmentId === 0 ? null : await lockStored(tx, body.appointmentId);
  if (stored && stored.version !== body.version) throw new Refusal('stale', { current: { version: stored.version } });
  const { cancellationNotes, welcomeMessage, externalId } = body;
  refuseCardNumbers({ cancellationNotes, welcomeMessage, externalId });
  await requirePatient(tx, body.patientId);
  if (stored && stored.patient_id !== body.patientId) await requireUntouched(tx, stored.appointment_id);
  const company = await tx
    .selectFrom('companies')
    .select(['duration', 'self_pay_fee'])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();

  const startsAt = new Date(body.startDate).toISOString();
  const endsAt = addMinutes(startsAt, body.minutes ?? (stored ? minutesOf(stored) : company.duration));
  const moved =
    !stored || stored.starts_at !== startsAt || stored.ends_at !== endsAt || stored.doctor_id !== body.doctorId;
  const wakes = stored?.cancelled === true && !body.cancelled;
  const span = { doctorId: body.doctorId, startsAt, endsAt, appointmentId: body.appointmentId };
  const claimed =
    !body.cancelled && (moved || wakes)
      ? await claimProviderTime(tx, caller.companyId, span, body.overbook ?? false)
      : null;
  if (!claimed && stored?.doctor_id !== body.doctorId) await lockProvider(tx, caller.companyId, body.doctorId);
  const cancels = body.cancelled && !stored?.cancelled;
  const fee = await feeOf(tx, caller, body, stored, company.self_pay_fee);

  const edited = {
    patient_id: body.patientId,
    doctor_id: body.doctorId,
    starts_at: startsAt,
    ends_at: endsAt,
    cancelled: body.cancelled,
    cancelled_at: body.cancelled ? (stored?.cancelled_at ?? now) : null,
    cancellation_notes: body.cancellationNotes,
    external_id: body.externalId,
    welcome_message: body.welcomeMessage,
    fee,
    ...(claimed && { overbooked: claimed.overbooked, immediate: false }),
  };
  const newCode = body.accessCode === '*' || cancels || (stored !== null && stored.patient_id !== body.patientId);
  const saved = stored
    ? await update(tx, stored, {
        ...edited,
        ...(newCode && storedCode(context.keys, makeCode(), stored.appointment_uid)),
        version: stored.version + 1,
        calendar_sequence: stored.calendar_sequence + (moved || cancels || wakes ? 1 : 0),
      })
    : await insert(tx, caller, edited, (uid) => storedCode(context.keys, makeCode(), uid), now);
  if (stored && newCode) await sql`select end_patient_sign_ins(${stored.appointment_id}, ${now})`.execute(tx);
  if (stored && cancels) afterCommit(await endRoomForPatients(tx, context, caller, stored.appointment_id));
  await collect(tx, caller, saved.appointment_id, body, fee, now);
  touched('appointmentId', saved.appointment_id);
  touched('patientId', body.patientId);
  return { appointmentId: saved.appointment_id, appointmentUid: saved.appointment_uid, version: saved.version };
});

type Stored = Awaited<ReturnType<typeof lockStored>>;

async function lockStored(tx: Tx, id: number) {
  const stored = await tx
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
    ])
    .where('appointment_id', '=', id)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  return stored;
}

const minutesOf = (span: { starts_at: string; ends_at: string }) =>
  Math.min(
    durationBounds.max,
    Math.max(durationBounds.min, (Date.parse(span.ends_at) - Date.parse(span.starts_at)) / 60_000),
  );

async function requirePatient(tx: Tx, patientId: number): Promise<void> {
  const patient = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    // Nobody archives the patient before this is committed.
    .forShare()
    .executeTakeFirst();
  if (!patient) throw notFound();
}

/** What was said, paid or held with one patient never becomes another one's. */
async function requireUntouched(tx: Tx, appointmentId: number): Promise<void> {
  const { touched } = await tx
    .selectNoFrom(
      sql<boolean>`exists (select 1 from chat_messages where appointment_id = ${appointmentId})
        or exists (select 1 from ledger where appointment_id = ${appointmentId})
        or exists (select 1 from visits where appointment_id = ${appointmentId} and first_arrived_at is not null)`.as(
        'touched',
      ),
    )
    .executeTakeFirstOrThrow();
  if (touched) throw new Refusal('has-activity');
}

/** Only administrators write fees; a new appointment begins with the provider's, else the company's. */
async function feeOf(
  tx: Tx,
  caller: StaffCaller,
  body: AppointmentBody,
  stored: Stored | null,
  companyFee: string,
): Promise<string> {
  if (may(caller.role, 'fee.write') && body.fee !== undefined) return fromCents(toCents(body.fee));
  if (stored) return stored.fee;
  const doctor = await tx
    .selectFrom('users')
    .select('self_pay_fee')
    .where('user_id', '=', body.doctorId)
    .executeTakeFirst();
  return doctor?.self_pay_fee ?? companyFee;
}

const EXCLUSION_VIOLATION = '23P01';

async function update(tx: Tx, stored: Stored, values: Updateable<Appointments>) {
  const saved = await tx
    .updateTable('appointments')
    .set(values)
    .where('appointment_id', '=', stored.appointment_id)
    .returning(['appointment_id', 'appointment_uid', 'version', 'doctor_id', 'patient_id'])
    .executeTakeFirstOrThrow()
    .catch((error: { code?: string }) => {
      throw error.code === EXCLUSION_VIOLATION ? new Refusal('slot-taken') : error;
    });
  if (saved.doctor_id !== stored.doctor_id || saved.patient_id !== stored.patient_id) {
    const { doctor_id, patient_id } = saved;
    await tx
      .updateTable('visits')
      .set({ doctor_id, patient_id })
      .where('appointment_id', '=', stored.appointment_id)
      .execute();
  }
  return saved;
}

type Edited = Omit<
  Insertable<Appointments>,
  'appointment_uid' | 'code_hash' | 'code_cipher' | 'company_id' | 'created_at'
>;

/** A rival who slipped past the provider's lock (another way of writing) meets the exclusion constraint: one winner. */
async function insert(
  tx: Tx,
  caller: StaffCaller,
  edited: Edited,
  code: (uid: string) => ReturnType<typeof storedCode>,
  now: string,
) {
  const uid = newUid();
  const saved = await tx
    .insertInto('appointments')
    .values({
      ...edited,
      ...code(uid),
      appointment_uid: uid,
      company_id: caller.companyId,
      created_by: caller.userId,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['appointment_id', 'appointment_uid', 'version'])
    .executeTakeFirst();
  if (!saved) throw new Refusal('slot-taken');
  return saved;
}

/** Typing an amount writes the difference into the ledger; more than the fee is refused (decisions, 7). */
async function collect(
  tx: Tx,
  caller: StaffCaller,
  appointmentId: number,
  body: AppointmentBody,
  fee: string,
  now: string,
): Promise<void> {
  const { sum } = await tx
    .selectFrom('ledger')
    .select(sql<string>`coalesce(sum(amount), 0)::numeric(10,2)`.as('sum'))
    .where('appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
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
