import { type Appointment, getAppointment as call } from '@roomside/contract/appointments/calls.ts';
import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { isChargeable } from '@roomside/contract/money.ts';
import { providers } from '@roomside/contract/permissions.ts';
import { addMinutes, dayBounds, fromHhmm, instantToWall, wallToInstant } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { openCodeOrNone, requiresProof } from '../../platform/access-code.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';
import { readReturnable } from '../charges/charge-rows.ts';
import { isAccountOf, pageProcessorOf, paymentColumns, takesPayments } from '../charges/page-processor.ts';
import { patientMessages, placeNotified, placesExpected } from '../notifications/known-place.ts';
import { readNextFree, wallTime } from '../schedule/availability.ts';
import { appointmentRows, toRow } from './appointment-rows.ts';
import { initialFee } from './initial-fee.ts';

/** CALL-3: an appointment with its logs, or a blank template for id 0. */
export const getAppointment = forStaff(call, async ({ context, caller, params, query, tx, now, touched }) => {
  const company = await tx
    .selectFrom('companies')
    .select(['start_hour', 'end_hour', 'slot', 'duration', 'self_pay_fee', ...paymentColumns])
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const config = {
    startHour: company.start_hour,
    endHour: company.end_hour,
    slot: company.slot,
    duration: company.duration,
    timeZone: caller.timeZone,
  };
  if (params.appointmentId === 0) {
    const blank = await blankAppointment(tx, caller, company, query, now);
    if (blank.patientId) touched('patientId', blank.patientId);
    return { ...blank, config };
  }
  const stored = await readAppointment(context, tx, caller, params.appointmentId, now);
  touched('patientId', stored.patientId);
  const chargeable = isChargeable({ ...stored, hasProcessor: takesPayments(company), currency: caller.currency });
  const page = pageProcessorOf(company);
  const returnable = await readReturnable(tx, stored.appointmentId);
  const refundable = returnable.some((charge) => isAccountOf(page, charge));
  return { ...stored, chargeable, refundable, config };
});

async function readAppointment(context: Context, tx: Tx, caller: StaffCaller, id: number, now: string) {
  const row = await appointmentRows(tx)
    .select([
      'a.version',
      'a.code_cipher',
      requiresProof.as('requires_proof'),
      'p.email',
      sql<
        string | null
      >`(select f.phone from patient_phones f where f.patient_id = a.patient_id and f.position = 0)`.as('phone'),
      'a.cancellation_notes',
      'a.external_transaction',
      'a.external_id',
      'a.notes',
      'a.notes_version',
      'a.welcome_message',
      'v.recorded',
    ])
    .where('a.appointment_id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound();
  const logs = await tx
    .selectFrom('notification_logs as n')
    .leftJoin('users as u', 'u.user_id', 'n.by_user_id')
    .select(['n.notification_id', 'n.kind', 'n.method', 'n.state', 'n.sent_at', 'u.first_name', 'u.last_name'])
    .where('n.appointment_id', '=', id)
    .orderBy('n.created_at', 'desc')
    .orderBy('n.notification_id', 'desc')
    .execute();
  const [messages] = await inOneTrip(tx, patientMessages({ appointmentId: id }));
  const current = { startsAt: row.starts_at, endsAt: row.ends_at, doctorId: row.doctor_id };
  // Only the list shows `undelivered`.
  const { undelivered: _, ...listed } = toRow(row, now, caller.timeZone);
  const open = (sealed: Buffer, place: string) => openTextOrSay(tx, context, caller.companyId, sealed, place);
  return {
    ...listed,
    version: row.version,
    accessCode: await openCodeOrNone(tx, context, caller.companyId, row),
    cancellationNotes: await open(row.cancellation_notes, sealedPlaces.cancellationNotes(row.appointment_uid)),
    externalTransaction: row.external_transaction,
    externalId: row.external_id,
    notes: await open(row.notes, sealedPlaces.notes(row.appointment_uid)),
    notesVersion: row.notes_version,
    welcomeMessage: row.welcome_message,
    recorded: row.recorded ?? false,
    notifiedStart: placeNotified(messages, current, now)?.startsAt ?? null,
    expected: placesExpected(messages, current, now).map(({ startsAt, doctorId }) => ({
      startDate: startsAt,
      doctorId,
    })),
    notificationLogs: logs.map((log) => ({
      notificationId: log.notification_id,
      sent: log.sent_at,
      kind: log.kind as NotificationKind,
      state: log.state as 'queued' | 'sent' | 'failed' | 'dropped',
      notificationMethod: { name: log.method === 'email' ? 'Email' : 'Text' },
      user: log.first_name === null ? null : { firstName: log.first_name, lastName: log.last_name ?? '' },
    })),
  };
}

interface CompanyDefaults {
  start_hour: number;
  end_hour: number;
  slot: number;
  duration: number;
  self_pay_fee: string;
}

interface BlankOptions {
  patient?: number | undefined;
  doctor?: number | undefined;
  date?: string | undefined;
  time?: string | undefined;
}

/** Returns a template with the values of the route (APPT-1), the default provider (APPT-5), the fee and a start. */
async function blankAppointment(
  tx: Tx,
  caller: StaffCaller,
  company: CompanyDefaults,
  options: BlankOptions,
  now: string,
) {
  const doctorId = options.doctor || (caller.role === 'U' ? 0 : caller.userId);
  const doctor = await tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name', 'self_pay_fee'])
    .where('company_id', '=', caller.companyId)
    .where('user_id', '=', doctorId)
    .where('disabled', '=', false)
    .where('role_id', 'in', providers)
    .executeTakeFirst();
  if (doctorId && !doctor) throw notFound();
  const patient = await tx
    .selectFrom('patients')
    .select(['patient_id', 'first_name', 'last_name'])
    .where('patient_id', '=', options.patient ?? 0)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (options.patient && !patient) throw notFound();
  const startDate =
    options.date && options.time
      ? wallToInstant(options.date, fromHhmm(options.time), caller.timeZone)
      : await nextFreeStart(tx, caller, company, { doctorId, day: options.date, now });
  const blank: Omit<Appointment, 'config'> = {
    appointmentId: 0,
    appointmentUid: '',
    version: 0,
    accessCode: '*',
    startDate,
    endDate: addMinutes(startDate, company.duration),
    doctorId: doctor?.user_id ?? 0,
    doctor: doctor ? { userId: doctor.user_id, firstName: doctor.first_name, lastName: doctor.last_name } : null,
    patientId: patient?.patient_id ?? 0,
    patient: patient ? { firstName: patient.first_name, lastName: patient.last_name } : null,
    status: 'scheduled',
    statusTooltip: '',
    cancelled: false,
    cancellationNotes: '',
    patientPresent: null,
    providerPresent: null,
    waitTime: 0,
    duration: 0,
    fee: initialFee(doctor?.self_pay_fee, company.self_pay_fee),
    collected: '0.00',
    chargeable: false,
    refundable: false,
    externalTransaction: '',
    externalId: '',
    notes: '',
    notesVersion: 0,
    welcomeMessage: '',
    recorded: false,
    notifiedStart: null,
    expected: [],
    notificationLogs: [],
  };
  return blank;
}

/**
 * CALL-3: returns the provider's next free start, from today or the given day on and within two weeks; without one, the
 * company's first hour of that day.
 */
async function nextFreeStart(
  tx: Tx,
  caller: StaffCaller,
  company: CompanyDefaults,
  { doctorId, day, now }: { doctorId: number; day: string | undefined; now: string },
): Promise<string> {
  const { companyId, timeZone } = caller;
  const wanted = day === undefined ? now : dayBounds(day, timeZone).from;
  const [free] = await readNextFree(tx, companyId, doctorId || null, wanted > now ? wanted : now, { now, timeZone });
  if (free) return free.startDate;
  const date = instantToWall(wanted > now ? wanted : now, timeZone).day;
  return wallToInstant(date, wallTime(company.start_hour * 60), timeZone);
}
