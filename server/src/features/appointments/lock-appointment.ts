import type { AppointmentState } from '@roomside/contract/appointments/change.ts';
import { hasBegun } from '@roomside/contract/appointments/over.ts';
import { statusOf } from '@roomside/contract/appointments/status.ts';
import { inOneTrip, type RowsOf, type Statement, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { checkVersion, notFound } from '../../platform/refusal.ts';
import { collected, factsOf, visitColumns } from './appointment-rows.ts';

/** An appointment whose row is locked until the transaction ends. */
export interface LockedAppointment {
  readonly appointmentId: number;
  readonly appointmentUid: string;
  readonly version: number;
  readonly notesVersion: number;
  readonly calendarSequence: number;
  readonly fee: string;
  /** The sum of the ledger, dollars. */
  readonly collected: string;
  readonly isPatientArchived: boolean;
  /** Whether invitations of guests have not ended. */
  readonly hasGuests: boolean;
  /** Whether there are messages to its patient. */
  readonly hasMessages: boolean;
  /** Seconds of the visit. */
  readonly duration: number;
  readonly state: AppointmentState;
}

/** How callers name an appointment: staff by its id, a patient by its uid. */
export type AppointmentKey = { readonly id: number } | { readonly uid: string; readonly patientId: number };

/** Locks the row. Readers and the foreign keys of visits and messages do not wait for this lock. */
const lockedRow = prepared((tx, key: { id?: number; uid?: string; patientId?: number }) =>
  tx
    .selectFrom('appointments as a')
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.version',
      'a.notes_version',
      'a.starts_at',
      'a.ends_at',
      'a.planned_start',
      'a.doctor_id',
      'a.patient_id',
      'a.cancelled',
      'a.cancelled_at',
      'a.completed_elsewhere',
      'a.fee',
      'a.calendar_sequence',
      collected,
    ])
    .where('a.archived_at', 'is', null)
    .$if('id' in key, (query) => query.where('a.appointment_id', '=', key.id as number))
    .$if('uid' in key, (query) => query.where('a.appointment_uid', '=', key.uid as string))
    .$if('patientId' in key, (query) => query.where('a.patient_id', '=', key.patientId as number))
    .forNoKeyUpdate('a'),
);

/**
 * The facts of the visit, read behind the lock, so that a visit that began and a guest who was invited meanwhile are included.
 */
const visitFacts = prepared((tx, key: { id?: number; uid?: string; patientId?: number }) =>
  tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select('p.archived_at')
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('visit_guests as g')
            .whereRef('g.appointment_id', '=', 'a.appointment_id')
            .where('g.removed_at', 'is', null)
            .where('g.ended_at', 'is', null),
        )
        .$castTo<boolean>()
        .as('has_guests'),
    )
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('notification_logs as n')
            .whereRef('n.appointment_id', '=', 'a.appointment_id')
            .whereRef('n.patient_id', '=', 'a.patient_id'),
        )
        .$castTo<boolean>()
        .as('has_messages'),
    )
    .select(visitColumns)
    .$if('id' in key, (query) => query.where('a.appointment_id', '=', key.id as number))
    .$if('uid' in key, (query) => query.where('a.appointment_uid', '=', key.uid as string))
    .$if('patientId' in key, (query) => query.where('a.patient_id', '=', key.patientId as number)),
);

type RowOf<S> = S extends (args: never) => Statement<infer R> ? R : never;

/** The statements of {@link lockAppointment}, to send with others; their rows go to {@link lockedFrom}. */
export const lockStatements = (key: AppointmentKey) => [lockedRow({ ...key }), visitFacts({ ...key })] as const;

/**
 * Locks an appointment and reads what its changes depend on. One round trip.
 *
 * @param version the version that the caller has read; default: any
 * @param now ISO instant
 * @throws Refusal `not-found` for an archived, unknown or foreign one; `stale` for another version
 */
export async function lockAppointment(
  tx: Tx,
  key: AppointmentKey,
  now: string,
  version?: number,
): Promise<LockedAppointment> {
  return lockedFrom(await inOneTrip(tx, ...lockStatements(key)), now, version);
}

/** The appointment of the rows of {@link lockStatements}; throws as {@link lockAppointment}. */
export function lockedFrom(
  [[row], [facts]]: RowsOf<[RowOf<typeof lockedRow>, RowOf<typeof visitFacts>]>,
  now: string,
  version?: number,
): LockedAppointment {
  if (!row || !facts) throw notFound();
  if (version !== undefined) checkVersion(row, version);
  const visit = factsOf({ ...row, ...facts });
  return {
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    version: row.version,
    notesVersion: row.notes_version,
    calendarSequence: row.calendar_sequence,
    fee: row.fee,
    collected: row.collected,
    isPatientArchived: facts.archived_at !== null,
    hasGuests: facts.has_guests,
    hasMessages: facts.has_messages,
    duration: facts.duration,
    state: {
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      doctorId: row.doctor_id,
      patientId: row.patient_id,
      cancelled: row.cancelled,
      cancelledAt: row.cancelled_at,
      plannedStart: row.planned_start,
      status: statusOf(visit, now),
      hasBegun: hasBegun(statusOf({ ...visit, cancelled: false }, now)),
    },
  };
}
