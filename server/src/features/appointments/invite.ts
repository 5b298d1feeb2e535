import { mayInvite } from '@roomside/contract/appointments/over.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type PatientNotification, type Queued, queueNotification } from '../notifications/queue-notification.ts';
import { type LockedAppointment, lockAppointment } from './lock-appointment.ts';

/**
 * Locks an appointment that an invitation may be sent for.
 *
 * @throws Refusal `appointment-cancelled`, `visit-over` (`mayInvite`) or `patient-archived`
 */
export async function lockInvitable(tx: Tx, id: number, now: string): Promise<LockedAppointment> {
  const locked = await lockAppointment(tx, { id }, now);
  const { status, endsAt, cancelled } = locked.state;
  if (cancelled) throw new Refusal('appointment-cancelled');
  if (!mayInvite({ status, endDate: endsAt }, now)) throw new Refusal('visit-over');
  if (locked.isPatientArchived) throw new Refusal('patient-archived');
  return locked;
}

/** Queues the invitation. Throws as `queueNotification`. */
export function queueInvitation(
  tx: Tx,
  context: Context,
  caller: StaffCaller,
  {
    appointmentId,
    state,
  }: Pick<LockedAppointment, 'appointmentId'> & { readonly state: { readonly patientId: number } },
  when: Pick<PatientNotification, 'now' | 'differs'>,
): Promise<Queued> {
  return queueNotification(tx, context, {
    companyId: caller.companyId,
    appointmentId,
    patientId: state.patientId,
    kind: 'invitation',
    byUserId: caller.userId,
    ...when,
  });
}
