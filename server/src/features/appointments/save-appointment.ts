import { type AppointmentBody, saveAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { type ChangeRequest, planCreation } from '@roomside/contract/appointments/change.ts';
import { durationBounds } from '@roomside/contract/limits.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import { may } from '@roomside/contract/permissions.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { newUid } from '../../platform/access-code.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaffAhead } from '../../platform/http/handler.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { type ChangeScope, changeAppointment, claimOf, createAppointment, takeProvider } from './change-appointment.ts';
import { collect } from './collect.ts';
import { initialFee } from './initial-fee.ts';
import { type LockedAppointment, lockedFrom, lockStatements } from './lock-appointment.ts';
import { requirePatient } from './require-patient.ts';

type Scope = ChangeScope & { readonly caller: StaffCaller };

/** A new appointment has no id, and nothing is locked. */
const locked = ({ body }: { body: AppointmentBody }) => lockStatements({ id: body.appointmentId });

/**
 * CALL-4: creates or saves an appointment. Returns 409 with the stored version when that is newer, and 409 with the
 * conflicting appointment when the time is taken and `overbook` is not set.
 */
export const saveAppointment = forStaffAhead(call, locked, async ({ body, found, touched, ...scope }) => {
  const { cancellationNotes, welcomeMessage, externalId, appointmentId, version } = body;
  const before = appointmentId === 0 ? null : lockedFrom(found, scope.now, version);
  refuseCardNumbers({ cancellationNotes, welcomeMessage, externalId });
  const { patientId, ...saved } = before ? await change(scope, before, body) : await create(scope, body);
  touched('appointmentId', saved.appointmentId);
  touched('patientId', patientId);
  return saved;
});

async function create(scope: Scope, body: AppointmentBody) {
  const { tx, caller, now } = scope;
  const defaults = await readDefaults(tx, caller, body.doctorId);
  const request = requestOf(body, defaults.duration);
  const plan = planCreation({ ...request, immediate: false }, now);
  await requirePatient(tx, body.patientId, { isNew: true });
  const claim = claimOf(scope, plan, { ignore: {}, overbook: body.overbook });
  const overbooked = await takeProvider(tx, plan, claim);
  const fee = feeOf(caller, body, defaults.fee);
  const appointmentUid = newUid();
  const created = await createAppointment(scope, plan, claim, {
    fee,
    createdBy: caller.userId,
    columns: {
      ...(await textsOf(scope, body, appointmentUid)),
      ...(overbooked !== undefined && { overbooked }),
      appointment_uid: appointmentUid,
    },
  });
  const { appointment_id: appointmentId, version } = created;
  const { patientId } = body;
  await collect(tx, caller, { body, appointmentId, patientId, before: '0', fee, feeBefore: fee, now });
  return { appointmentId, appointmentUid, patientId, version };
}

async function change(scope: Scope, before: LockedAppointment, body: AppointmentBody) {
  const { tx, caller, now } = scope;
  const { appointmentId, appointmentUid } = before;
  const fee = feeOf(caller, body, before.fee);
  const { version, patientId } = await changeAppointment(scope, before, requestOf(body, minutesOf(before)), {
    overbook: body.overbook ?? false,
    columns: { ...(await textsOf(scope, body, appointmentUid)), fee },
  });
  const { collected, fee: feeBefore } = before;
  await collect(tx, caller, { body, appointmentId, patientId, before: collected, fee, feeBefore, now });
  return { appointmentId, appointmentUid, patientId, version };
}

/** The change that the form requests; `minutes` is the length if the form contains none. */
function requestOf(body: AppointmentBody, minutes: number) {
  const startsAt = new Date(body.startDate).toISOString();
  const { doctorId, patientId, cancelled } = body;
  return {
    kind: 'save',
    startsAt,
    endsAt: addMinutes(startsAt, body.minutes ?? minutes),
    doctorId,
    patientId,
    cancelled,
    renewsCode: body.accessCode === '*',
  } as const satisfies ChangeRequest;
}

/** The stored length in minutes, limited to the bounds of the form. */
const minutesOf = ({ state: { startsAt, endsAt } }: LockedAppointment) =>
  Math.min(durationBounds.max, Math.max(durationBounds.min, (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000));

/** The columns of the form's texts; the reason of a cancellation is sealed. */
async function textsOf({ tx, context, caller, now }: Scope, body: AppointmentBody, appointmentUid: string) {
  const place = sealedPlaces.cancellationNotes(appointmentUid);
  const sealing = { companyId: caller.companyId, now };
  return {
    cancellation_notes: await sealText(tx, context.keys, sealing, body.cancellationNotes, place),
    external_id: body.externalId,
    welcome_message: body.welcomeMessage,
  };
}

/** The company's length of an appointment, and the initial fee. */
async function readDefaults(tx: Tx, caller: StaffCaller, doctorId: number) {
  const { duration, company_fee, provider_fee } = await tx
    .selectFrom('companies as c')
    .leftJoin('users as d', (join) => join.onRef('d.company_id', '=', 'c.company_id').on('d.user_id', '=', doctorId))
    .select(['c.duration', 'c.self_pay_fee as company_fee', 'd.self_pay_fee as provider_fee'])
    .where('c.company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  return { duration, fee: initialFee(provider_fee, company_fee) };
}

/** Only administrators write fees. */
const feeOf = (caller: StaffCaller, body: AppointmentBody, otherwise: string): string =>
  may(caller.role, 'fee.write') && body.fee !== undefined ? fromCents(toCents(body.fee)) : otherwise;
