import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

export interface Span {
  doctorId: number;
  startsAt: string;
  endsAt: string;
  /** The appointment itself, 0 for a new one: it does not conflict with itself. */
  appointmentId: number;
}

/** Locks the row of an enabled provider of the company; anybody else is not found. */
export async function lockProvider(tx: Tx, companyId: number, doctorId: number): Promise<void> {
  const provider = await tx
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', doctorId)
    .where('company_id', '=', companyId)
    .where('disabled', '=', false)
    .where('role_id', 'in', ['A', 'D'])
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!provider) throw notFound();
}

/**
 * Locks the provider's row, so that all who want his time queue here, and answers whether the span is free. Taken and
 * not `overbook`: 409 with the appointment in the way; with it true, the caller marks the row as overbooked.
 */
export async function claimProviderTime(
  tx: Tx,
  companyId: number,
  span: Span,
  overbook: boolean,
): Promise<{ overbooked: boolean }> {
  await lockProvider(tx, companyId, span.doctorId);
  const taken = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .select(['a.appointment_id', 'a.starts_at', 'a.ends_at', 'p.first_name', 'p.last_name'])
    .where('a.company_id', '=', companyId)
    .where('a.doctor_id', '=', span.doctorId)
    .where('a.cancelled', '=', false)
    .where('a.immediate', '=', false)
    .where('a.archived_at', 'is', null)
    .where('a.appointment_id', '<>', span.appointmentId)
    .where('a.starts_at', '<', span.endsAt)
    // No visit is longer than 600 minutes: keeps the search on the index of starts.
    .where('a.starts_at', '>', new Date(Date.parse(span.startsAt) - 600 * 60_000).toISOString())
    .where('a.ends_at', '>', span.startsAt)
    .orderBy('a.starts_at')
    .limit(1)
    .executeTakeFirst();
  if (!taken) return { overbooked: false };
  if (overbook) return { overbooked: true };
  throw new Refusal('slot-taken', {
    current: {
      appointmentId: taken.appointment_id,
      startDate: taken.starts_at,
      endDate: taken.ends_at,
      patient: { firstName: taken.first_name, lastName: taken.last_name },
    },
  });
}
