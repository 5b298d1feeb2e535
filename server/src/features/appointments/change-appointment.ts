import {
  type ChangePlan,
  type ChangeRequest,
  planChange,
  planCreation,
} from '@roomside/contract/appointments/change.ts';
import type { MoveNotice } from '@roomside/contract/schedule/calls.ts';
import { addMinutes, instantToWall } from '@roomside/contract/time.ts';
import type { Expression, Insertable, Updateable } from 'kysely';
import { createAccessCode, newUid, storedCode } from '../../platform/access-code.ts';
import type { PatientCaller, StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import { type AfterCommit, inOneTrip, type Tx } from '../../platform/database/database.ts';
import type { Appointments } from '../../platform/database/schema.ts';
import { endGuests, endPatientSignIns } from '../../platform/end-sign-ins.ts';
import { Refusal } from '../../platform/refusal.ts';
import { queueCancellation } from '../notifications/cancellation.ts';
import { heldDropped } from '../notifications/held.ts';
import { type PatientMessage, patientMessages } from '../notifications/known-place.ts';
import { announceAgain } from '../notifications/mark-arrived.ts';
import { queueNewTime } from '../notifications/new-time.ts';
import { wasNotified } from '../notifications/was-notified.ts';
import { hasRecords } from '../records/has-records.ts';
import { wasMerged } from '../records/patient-rows.ts';
import { type Ignored } from '../schedule/availability.ts';
import {
  type Inserted,
  insertAppointment,
  insertAppointments,
  type NewRow,
  updateAppointment,
} from './appointment-writer.ts';
import type { LockedAppointment } from './lock-appointment.ts';
import { type Claim, claimProviderTime, lockProvider } from './provider-time.ts';
import { pushRoomEnded, pushWaiting } from './push-room.ts';
import { requirePatient } from './require-patient.ts';

/** The transaction and caller of a change. */
export interface ChangeScope {
  readonly context: Context;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
  readonly caller: StaffCaller | PatientCaller;
  /** ISO. */
  readonly now: string;
}

interface ChangeOptions {
  /** Only staff: books over another appointment. */
  readonly overbook?: boolean;
  /** The notification of a new time is held until the move can no longer be undone. */
  readonly isUndoable?: boolean;
  /** Columns that the plan does not set: texts and fee. */
  readonly columns?: Updateable<Appointments>;
}

/** The appointment after a change. */
export interface Changed {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly patientId: number;
  readonly version: number;
  readonly notice: MoveNotice;
}

/**
 * Moves, reassigns, cancels, re-activates, starts or deletes an appointment, for staff and patients: plan, permission,
 * claim, write, effects. The caller has locked the row. No other function does this.
 *
 * @throws Refusal of the plan; `patient-archived`; `slot-taken`; `patient-notified` and `has-activity` for another patient
 */
export async function changeAppointment(
  scope: ChangeScope,
  before: LockedAppointment,
  request: ChangeRequest,
  options: ChangeOptions = {},
): Promise<Changed> {
  const { tx, now } = scope;
  const plan = planChange(before.state, request, now);
  if ('refusal' in plan) throw new Refusal(plan.refusal);
  await requirePatientOf(tx, before, plan);
  const { startsAt, endsAt, patientId } = plan;
  if (!plan.isChange) return { startsAt, endsAt, patientId, version: before.version, notice: 'none' };

  const { appointmentId } = before;
  const claim = claimOf(scope, plan, { ignore: { appointmentId }, overbook: options.overbook });
  const overbooked = await takeProvider(tx, plan, claim);
  const messages = plan.notification !== null && before.hasMessages ? await readMessages(tx, appointmentId) : [];
  const version = before.version + 1;
  updateAppointment(tx, claim, appointmentId, {
    ...options.columns,
    ...columnsOf(plan, now),
    ...(overbooked !== undefined && { overbooked }),
    ...(plan.renewsCode && (await newCode(scope, before.appointmentUid))),
    // Notes that are being typed are about the former patient.
    ...(plan.reassignsPatient && { notes_version: before.notesVersion + 1 }),
    version,
    calendar_sequence: before.calendarSequence + (plan.updatesCalendar ? 1 : 0),
  });
  if (endsInvitations(scope, before, plan)) await endGuests(scope, appointmentId);
  await applyEffects(scope, before, plan);
  const notice = await notify(scope, before, plan, messages, options);
  return { startsAt, endsAt, patientId, version, notice };
}

/** Reads the messages to the patient, the latest first. The held ones are dropped. */
async function readMessages(tx: Tx, appointmentId: number): Promise<PatientMessage[]> {
  const [, messages] = await inOneTrip(tx, heldDropped({ appointmentId }), patientMessages({ appointmentId }));
  return messages;
}

/** Queues the planned message to the patient. Returns its state. */
async function notify(
  scope: ChangeScope,
  before: LockedAppointment,
  plan: ChangePlan,
  messages: readonly PatientMessage[],
  { isUndoable = false }: ChangeOptions,
): Promise<MoveNotice> {
  const { tx, context } = scope;
  const about = notificationOf(scope, before);
  if (plan.notification === 'newTime')
    return queueNewTime(tx, context, { ...about, to: plan, hold: isUndoable }, messages);
  if (plan.notification === 'cancelled') await queueCancellation(tx, context, about, messages);
  return 'none';
}

/** The values of a new appointment that its plan does not set. */
export interface NewAppointment {
  /** Dollars, or an expression of the database. */
  readonly fee: string | Expression<string>;
  /** Null = the patient. */
  readonly createdBy: number | null;
  readonly columns?: Partial<Insertable<Appointments>>;
}

interface CreateScope {
  readonly context: Context;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
  readonly now: string;
}

/**
 * Creates an appointment as planned. Its time has been claimed, if the plan claims one.
 *
 * @throws Refusal `slot-taken` when an appointment that was booked without the provider's lock has the time
 */
export async function createAppointment(
  { context, tx, afterCommit, now }: CreateScope,
  plan: ChangePlan,
  claim: Claim,
  { fee, createdBy, columns }: NewAppointment,
): Promise<Inserted> {
  const { companyId } = claim;
  const appointmentUid = columns?.appointment_uid ?? newUid();
  const code = await storedCode(tx, context.keys, createAccessCode(), { companyId, appointmentUid, now });
  afterCommit(() => context.push.schedule(companyId));
  return insertAppointment(tx, claim, {
    ...columns,
    ...columnsOf(plan, now),
    ...code,
    appointment_uid: appointmentUid,
    company_id: companyId,
    fee,
    created_by: createdBy,
    created_at: now,
  });
}

/** Creates an appointment with the caller that starts now (STATE-4), beside whatever else they have. `fee` in dollars. */
export function createImmediate(
  scope: CreateScope & { readonly caller: StaffCaller },
  { patientId, fee, minutes }: { patientId: number; fee: string; minutes: number },
): Promise<Inserted> {
  const { caller, now } = scope;
  const { userId } = caller;
  const span = { startsAt: now, endsAt: addMinutes(now, minutes) };
  const plan = planCreation({ ...span, doctorId: userId, patientId, cancelled: false, immediate: true }, now);
  return createAppointment(scope, plan, claimOf(scope, plan, { ignore: {} }), { fee, createdBy: userId });
}

/** An appointment that an import creates. */
export interface ImportedAppointment {
  readonly plan: ChangePlan;
  readonly externalId: string;
  /** Dollars. */
  readonly fee: string;
  readonly completedElsewhere: boolean;
}

/**
 * Creates appointments of an import, whose times have been claimed (or need not be). Nothing is sent to their patients; without `reminds` no
 * reminder either, until the clinic has notified them. Returns their ids.
 */
export async function createImported(
  { context, tx, now }: Pick<CreateScope, 'tx' | 'now'> & { readonly context: Pick<Context, 'keys'> },
  of: { companyId: number; importId: number; byUserId: number; reminds: boolean },
  appointments: readonly ImportedAppointment[],
): Promise<readonly number[]> {
  const { companyId, importId, byUserId, reminds } = of;
  const rows: NewRow[] = [];
  for (const { plan, externalId, fee, completedElsewhere } of appointments) {
    const appointmentUid = newUid();
    rows.push({
      ...columnsOf(plan, now),
      ...(await storedCode(tx, context.keys, createAccessCode(), { companyId, appointmentUid, now })),
      appointment_uid: appointmentUid,
      company_id: companyId,
      external_id: externalId,
      fee,
      created_by: byUserId,
      created_at: now,
      import_id: importId,
      no_reminder: !reminds,
      completed_elsewhere: completedElsewhere,
    });
  }
  return insertAppointments(tx, rows);
}

/** Returns the claim of a plan's time; a patient's claim cannot overbook. */
export function claimOf(
  { caller, now }: Pick<ChangeScope, 'caller' | 'now'>,
  { doctorId, startsAt, endsAt }: Pick<ChangePlan, 'doctorId' | 'startsAt' | 'endsAt'>,
  { ignore, overbook = false }: { ignore: Ignored; overbook?: boolean | undefined },
): Claim {
  const { companyId, timeZone } = caller;
  const isPatient = caller.kind === 'patient';
  return {
    companyId,
    timeZone,
    doctorId,
    startsAt,
    endsAt,
    now,
    // Staff override holds.
    ignore: isPatient ? ignore : { ...ignore, allHolds: true },
    ...(!isPatient && { staff: { overbook } }),
  };
}

/** Claims or locks the provider as planned. Returns whether the time was overbooked; undefined = not claimed. */
export async function takeProvider(
  tx: Tx,
  { provider }: Pick<ChangePlan, 'provider'>,
  claim: Claim,
): Promise<boolean | undefined> {
  if (provider === 'claim') return (await claimProviderTime(tx, claim)).overbooked;
  if (provider === 'lock') await lockProvider(tx, claim.companyId, claim.doctorId);
  return undefined;
}

/** The columns that a plan sets. */
function columnsOf(plan: ChangePlan, now: string) {
  return {
    patient_id: plan.patientId,
    doctor_id: plan.doctorId,
    starts_at: plan.startsAt,
    ends_at: plan.endsAt,
    cancelled: plan.cancelled,
    cancelled_at: plan.cancelledAt,
    planned_start: plan.plannedStart,
    ...(plan.immediate !== null && { immediate: plan.immediate }),
    ...(plan.setsStart && { start_set_at: now }),
    ...(plan.archives && { archived_at: now }),
  };
}

async function requirePatientOf(tx: Tx, before: LockedAppointment, plan: ChangePlan): Promise<void> {
  if (plan.reassignsPatient) {
    await requireSamePerson(tx, before, plan.patientId);
    await requireUntouched(tx, before);
    await requirePatient(tx, plan.patientId, { isNew: true });
  } else if (plan.patient === 'active' && before.isPatientArchived) throw new Refusal('patient-archived');
}

/** Refuses with `stale` when the patient of the form has been merged into the appointment's patient. */
async function requireSamePerson(tx: Tx, { state, version }: LockedAppointment, patientId: number): Promise<void> {
  if (await wasMerged(tx, patientId, state.patientId)) throw new Refusal('stale', { current: { version } });
}

/** Refuses another patient after an arrival, a chat message, a payment or a notification. */
async function requireUntouched(tx: Tx, { appointmentId }: LockedAppointment): Promise<void> {
  // Waits for records that are being stored.
  await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('appointment_id', '=', appointmentId)
    .forUpdate()
    .execute();
  if (await hasRecords(tx, appointmentId, 'bindsPatient')) throw new Refusal('has-activity');
  const { notified } = await tx.selectNoFrom(wasNotified(appointmentId).as('notified')).executeTakeFirstOrThrow();
  if (notified) throw new Refusal('patient-notified');
}

const newCode = ({ tx, context, caller, now }: ChangeScope, appointmentUid: string) =>
  storedCode(tx, context.keys, createAccessCode(), { companyId: caller.companyId, appointmentUid, now });

/** Updates the visit, revokes sign-ins and pushes messages after a change. */
async function applyEffects(scope: ChangeScope, before: LockedAppointment, plan: ChangePlan): Promise<void> {
  const { tx, caller, context, afterCommit } = scope;
  const { appointmentId, appointmentUid, state } = before;
  // The visit's patient follows the appointment's.
  if (plan.doctorId !== state.doctorId) {
    await tx
      .updateTable('visits')
      .set({ doctor_id: plan.doctorId })
      .where('appointment_id', '=', appointmentId)
      .execute();
    if (!plan.cancelled) {
      await announceAgain(tx, afterCommit, context, { companyId: caller.companyId, appointmentId, now: scope.now });
    }
  }
  if (plan.renewsCode) await endPatientSignIns(scope, { appointmentId, patientId: state.patientId });
  if (plan.endsRoom) afterCommit(() => pushRoomEnded(context.push, appointmentUid, caller));
  if (plan.startsAt !== state.startsAt || plan.doctorId !== state.doctorId) {
    const doctorIds = state.status === 'waiting' ? [state.doctorId, plan.doctorId] : [];
    afterCommit(() => pushWaiting(context.push, caller, { appointmentUid, doctorIds }));
  }
  afterCommit(() => context.push.schedule(caller.companyId));
}

/** Whether invitations of guests end with a change: they are for one patient's visit on a day. */
function endsInvitations({ caller }: ChangeScope, { state, hasGuests }: LockedAppointment, plan: ChangePlan): boolean {
  if (!hasGuests) return false;
  if (plan.cancelled || plan.archives || plan.reassignsPatient) return true;
  return dayOf(plan.startsAt, caller) !== dayOf(state.startsAt, caller);
}

const dayOf = (instant: string, { timeZone }: { timeZone: string }) => instantToWall(instant, timeZone).day;

/** The recipient of a notification about the change, what was before it, and the user who caused it. */
const notificationOf = ({ caller, now }: ChangeScope, { appointmentId, state }: LockedAppointment) => ({
  companyId: caller.companyId,
  appointmentId,
  patientId: state.patientId,
  from: state,
  byUserId: caller.kind === 'patient' ? null : caller.userId,
  now,
});
