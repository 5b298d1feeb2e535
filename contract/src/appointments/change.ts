import type { RefusalCode } from '../refusals.ts';
import { isOver } from './over.ts';
import type { Status } from './status.ts';

/** An appointment as it stands before a change; instants ISO. */
export interface AppointmentState {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly doctorId: number;
  readonly patientId: number;
  readonly cancelled: boolean;
  readonly cancelledAt: string | null;
  /** The start before it was started at another time by `connect`; null = never. */
  readonly plannedStart: string | null;
  /** By `statusOf`, now. */
  readonly status: Status;
  /** Both sides have met; also of one that was cancelled since. */
  readonly hasBegun: boolean;
}

/** A new appointment, however it is made: by the form, by an import, by a patient, or one that starts immediately. */
export interface Creation {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly doctorId: number;
  readonly patientId: number;
  readonly cancelled: boolean;
  /** Starts now, beside whatever else the provider has (STATE-4). */
  readonly immediate: boolean;
}

/** What is asked of an appointment. */
export type ChangeRequest =
  /**
   * The form (CALL-4) sets all of these. It reassigns, cancels and re-activates, too. One that cancels changes nothing of time, provider and
   * patient: the form may have values that were not saved before, which the patient has never been notified of.
   */
  | {
      readonly kind: 'save';
      readonly startsAt: string;
      readonly endsAt: string;
      readonly doctorId: number;
      readonly patientId: number;
      readonly cancelled: boolean;
      /** A new access code was asked for. */
      readonly renewsCode: boolean;
    }
  /** Another start or provider, the length kept (SCHED-3, STATE-25; a patient's own move). */
  | { readonly kind: 'move'; readonly startsAt: string; readonly doctorId: number }
  /** Starts now, the length kept, beside whatever else the provider has (STATE-4). */
  | { readonly kind: 'connect' }
  /** Another provider while the patient waits. The request overbooks: it takes that provider's time, beside whatever else they have. */
  | { readonly kind: 'handOver'; readonly doctorId: number }
  /** Gives the time back and ends the link. */
  | { readonly kind: 'cancel' }
  /** Archives an appointment that nothing has happened to (LIST-20). `hasActivity`: there is a payment, visit or note. */
  | { readonly kind: 'delete'; readonly hasActivity: boolean };

/** What a change does, in the order in which it is done. */
export interface ChangePlan {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly doctorId: number;
  readonly patientId: number;
  readonly cancelled: boolean;
  readonly cancelledAt: string | null;
  readonly plannedStart: string | null;
  /** False = nothing differs: nothing is written. */
  readonly isChange: boolean;
  /** Starts beside other appointments of the provider; null = as it was. */
  readonly immediate: boolean | null;
  /** 'claim': the time must be free; 'lock': the provider must exist; 'none': neither has to be known. */
  readonly provider: 'claim' | 'lock' | 'none';
  /** 'new': the patient gets the appointment; 'active': must not be archived; 'any': stays as it is. */
  readonly patient: 'new' | 'active' | 'any';
  /** The patient becomes another one: nothing may have been said, paid or sent with the one before. */
  readonly reassignsPatient: boolean;
  /** The start changes, so the time of the reminder does too. */
  readonly setsStart: boolean;
  /** The link ends: another code, and the sign-ins made with the old one are revoked. */
  readonly renewsCode: boolean;
  /** The patient's calendar entry differs. */
  readonly updatesCalendar: boolean;
  /** The people in the room are sent out. */
  readonly endsRoom: boolean;
  /** What a patient who knows of the appointment is notified of. */
  readonly notification: 'newTime' | 'cancelled' | null;
  readonly archives: boolean;
}

/** The change is not possible as things stand. */
export interface ChangeRefusal {
  readonly refusal: Extract<RefusalCode, 'appointment-cancelled' | 'has-activity' | 'has-started' | 'visit-over'>;
}

/**
 * Plans a change of an appointment: with {@link planCreation} the one place that knows what creating, moving, reassigning,
 * cancelling, re-activating, starting and deleting mean. Pure: it reads no clock and no database. A missed appointment
 * (no-show) may be moved, started and cancelled like one that is still to come.
 *
 * @param now ISO instant
 */
export function planChange(before: AppointmentState, request: ChangeRequest, now: string): ChangePlan | ChangeRefusal {
  switch (request.kind) {
    case 'save':
      return planSave(before, request, now);
    case 'move':
      return planMove(before, request);
    case 'connect':
      return planConnect(before, now);
    case 'handOver':
      return planHandOver(before, request, now);
    case 'cancel':
      return planCancel(before, now);
    case 'delete':
      return planDelete(before, request);
  }
}

type Save = Extract<ChangeRequest, { kind: 'save' }>;

/** What a plan does unless it says otherwise: nothing. */
const unchanged = (before: Omit<AppointmentState, 'status' | 'hasBegun'>): ChangePlan => ({
  startsAt: before.startsAt,
  endsAt: before.endsAt,
  doctorId: before.doctorId,
  patientId: before.patientId,
  cancelled: before.cancelled,
  cancelledAt: before.cancelledAt,
  plannedStart: before.plannedStart,
  isChange: true,
  immediate: null,
  provider: 'none',
  patient: 'any',
  reassignsPatient: false,
  setsStart: false,
  renewsCode: false,
  updatesCalendar: false,
  endsRoom: false,
  notification: null,
  archives: false,
});

/** Plans a new appointment. Pure; `now` is an ISO instant. */
export function planCreation(wanted: Creation, now: string): ChangePlan {
  return {
    ...unchanged({ ...wanted, cancelledAt: wanted.cancelled ? now : null, plannedStart: null }),
    immediate: wanted.immediate,
    provider: wanted.immediate ? 'none' : wanted.cancelled ? 'lock' : 'claim',
    patient: 'new',
    renewsCode: true,
    updatesCalendar: true,
  };
}

function planSave(before: AppointmentState, request: Save, now: string): ChangePlan | ChangeRefusal {
  const cancels = request.cancelled && !before.cancelled;
  const { startsAt, endsAt, doctorId, patientId } = before;
  const wanted = cancels ? { ...request, startsAt, endsAt, doctorId, patientId } : request;
  const setsStart = wanted.startsAt !== before.startsAt;
  const changesProvider = wanted.doctorId !== before.doctorId;
  const moves = setsStart || changesProvider;
  // One that has begun keeps its time: the room of one that is over stays closed.
  if (moves && before.hasBegun) return { refusal: 'has-started' };
  const changesTime = moves || wanted.endsAt !== before.endsAt;
  const reassignsPatient = wanted.patientId !== before.patientId;
  const reactivates = before.cancelled && !wanted.cancelled;
  const claims = !wanted.cancelled && (changesTime || reactivates);
  return {
    ...unchanged(before),
    startsAt: wanted.startsAt,
    endsAt: wanted.endsAt,
    doctorId: wanted.doctorId,
    patientId: wanted.patientId,
    cancelled: wanted.cancelled,
    cancelledAt: wanted.cancelled ? (before.cancelledAt ?? now) : null,
    immediate: claims ? false : null,
    provider: claims ? 'claim' : changesProvider ? 'lock' : 'none',
    patient: reassignsPatient ? 'new' : reactivates || (moves && !wanted.cancelled) ? 'active' : 'any',
    reassignsPatient,
    setsStart: setsStart || reactivates,
    renewsCode: wanted.renewsCode || cancels || reassignsPatient,
    updatesCalendar: changesTime || cancels || reactivates,
    endsRoom: cancels,
    // A re-activated appointment needs a new invitation, which staff send themselves; so does another patient.
    notification: cancels
      ? 'cancelled'
      : moves && !wanted.cancelled && !reactivates && !reassignsPatient
        ? 'newTime'
        : null,
  };
}

function planMove(
  before: AppointmentState,
  { startsAt, doctorId }: { startsAt: string; doctorId: number },
): ChangePlan | ChangeRefusal {
  if (before.cancelled) return { refusal: 'appointment-cancelled' };
  if (before.hasBegun) return { refusal: 'has-started' };
  const setsStart = startsAt !== before.startsAt;
  if (!setsStart && doctorId === before.doctorId) return { ...unchanged(before), isChange: false, patient: 'active' };
  return {
    ...unchanged(before),
    startsAt,
    endsAt: endOf(before, startsAt),
    doctorId,
    immediate: false,
    provider: 'claim',
    patient: 'active',
    setsStart,
    updatesCalendar: true,
    notification: 'newTime',
  };
}

function planHandOver(
  before: AppointmentState,
  { doctorId }: { doctorId: number },
  now: string,
): ChangePlan | ChangeRefusal {
  if (before.cancelled) return { refusal: 'appointment-cancelled' };
  if (isOver({ status: before.status, endDate: before.endsAt }, now)) return { refusal: 'visit-over' };
  if (before.hasBegun) return { refusal: 'has-started' };
  if (doctorId === before.doctorId) return { ...unchanged(before), isChange: false };
  return {
    ...unchanged(before),
    doctorId,
    provider: 'claim',
    patient: 'active',
    updatesCalendar: true,
  };
}

function planConnect(before: AppointmentState, now: string): ChangePlan | ChangeRefusal {
  if (before.cancelled) return { refusal: 'appointment-cancelled' };
  if (isOver({ status: before.status, endDate: before.endsAt }, now)) return { refusal: 'visit-over' };
  if (before.hasBegun) return { refusal: 'has-started' };
  return {
    ...unchanged(before),
    startsAt: now,
    endsAt: endOf(before, now),
    plannedStart: before.plannedStart ?? before.startsAt,
    immediate: true,
    patient: 'active',
    updatesCalendar: true,
  };
}

function planCancel(before: AppointmentState, now: string): ChangePlan | ChangeRefusal {
  if (before.cancelled) return { refusal: 'appointment-cancelled' };
  return {
    ...unchanged(before),
    cancelled: true,
    cancelledAt: now,
    renewsCode: true,
    updatesCalendar: true,
    endsRoom: true,
    notification: 'cancelled',
  };
}

function planDelete(before: AppointmentState, { hasActivity }: { hasActivity: boolean }): ChangePlan | ChangeRefusal {
  if (hasActivity) return { refusal: 'has-activity' };
  return {
    ...unchanged(before),
    renewsCode: true,
    updatesCalendar: true,
    endsRoom: true,
    notification: before.cancelled ? null : 'cancelled',
    archives: true,
  };
}

/** The end of an appointment of the same length at another start. */
const endOf = (before: AppointmentState, startsAt: string): string =>
  new Date(Date.parse(startsAt) + Date.parse(before.endsAt) - Date.parse(before.startsAt)).toISOString();
