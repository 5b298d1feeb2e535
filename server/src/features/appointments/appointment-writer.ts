import type { Expression, Insertable, Updateable } from 'kysely';
import { send, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import type { Appointments } from '../../platform/database/schema.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { type Claim, slotTaken } from './provider-time.ts';

/** The values of a new row; its fee may be an expression. */
export type NewRow = Omit<Insertable<Appointments>, 'fee'> & { readonly fee: string | Expression<string> };

// Only this module, merging and erasing patients, changing keys, and the trigger of the ledger (`collected`) write the table of appointments.

const update = prepared((tx, { id, ...values }: Updateable<Appointments> & { id: number }) =>
  tx.updateTable('appointments').set(values).where('appointment_id', '=', id),
);

export interface Inserted {
  readonly appointment_id: number;
  readonly appointment_uid: string;
  readonly version: number;
}

/**
 * Inserts an appointment.
 *
 * @throws Refusal `slot-taken` when an appointment that was booked without the provider's lock has the time
 */
export async function insertAppointment(tx: Tx, claim: Claim, values: NewRow): Promise<Inserted> {
  const inserted = await tx
    .insertInto('appointments')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['appointment_id', 'appointment_uid', 'version'])
    .executeTakeFirst();
  if (!inserted) throw slotTaken(claim, null);
  return inserted;
}

/**
 * Inserts appointments whose times have been claimed. One statement for any number.
 *
 * @throws Error when an appointment that was booked without the provider's lock has the time of one
 */
export async function insertAppointments(tx: Tx, rows: readonly NewRow[]): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const inserted = await tx.insertInto('appointments').values(rows).returning('appointment_id').execute();
  return inserted.map((row) => row.appointment_id);
}

/**
 * Updates an appointment whose row is locked. Nothing waits for it; the transaction fails with Refusal `slot-taken` when an appointment
 * that was booked without the provider's lock has the time.
 */
export function updateAppointment(
  tx: Tx,
  claim: Claim | null,
  appointmentId: number,
  values: Updateable<Appointments>,
): void {
  send(tx, update({ id: appointmentId, ...values }), (error: Error & { code?: string }) =>
    claim && error.code === sqlStates.exclusionViolation ? slotTaken(claim, null) : error,
  );
}
