import type { Updateable } from 'kysely';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import type { Appointments } from '../../platform/database/schema.ts';
import { heldDropped } from '../notifications/held.ts';
import type { EarlierMessages } from '../notifications/new-time.ts';
import { wasNotified } from '../notifications/was-notified.ts';
import { type Claim, slotTaken } from './provider-time.ts';

const EXCLUSION_VIOLATION = '23P01';

const update = prepared((tx, { id, ...values }: Updateable<Appointments> & { id: number }) =>
  tx.updateTable('appointments').set(values).where('appointment_id', '=', id),
);

const told = prepared((tx, { appointmentId }: { appointmentId: number }) =>
  tx.selectNoFrom(wasNotified(appointmentId).as('told')),
);

/** Writes an appointment whose row is locked. Throws `slot-taken` when a rival slipped past the provider's lock. */
export async function writeAppointment(
  tx: Tx,
  claim: Claim,
  appointmentId: number,
  values: Updateable<Appointments>,
): Promise<null> {
  await inOneTrip(tx, update({ id: appointmentId, ...values })).catch(asSlotTaken(claim));
  return null;
}

/**
 * As {@link writeAppointment}, for another time or provider: drops the messages about an earlier one that wait, in the
 * same round trip. Returns what queueNewTime goes by.
 */
export async function writeMove(
  tx: Tx,
  claim: Claim,
  appointmentId: number,
  values: Updateable<Appointments>,
): Promise<EarlierMessages> {
  const [, dropped, [patient]] = await inOneTrip(
    tx,
    update({ id: appointmentId, ...values }),
    heldDropped({ appointmentId }),
    told({ appointmentId }),
  ).catch(asSlotTaken(claim));
  return { dropped, wasNotified: patient?.told ?? false };
}

const asSlotTaken = (claim: Claim) => (error: { code?: string }) => {
  throw error.code === EXCLUSION_VIOLATION ? slotTaken(claim, null) : error;
};
