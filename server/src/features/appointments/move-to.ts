import type { MoveNotice } from '@roomside/contract/schedule/calls.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { queueNewTime } from '../notifications/new-time.ts';
import type { Own } from '../schedule/provider-times.ts';
import { type Claim, claimProviderTime } from './provider-time.ts';
import { writeMove } from './write-move.ts';

/** Who moves: staff carry `overbook`, patients do not. */
interface Mover {
  readonly companyId: number;
  readonly timeZone: string;
  /** null = the patient; then the message leaves without waiting for an Undo. */
  readonly userId: number | null;
  readonly own: Own;
  readonly overbook?: boolean;
}

/** The appointment as it was read, with its row locked. */
interface Stored {
  readonly appointment_id: number;
  readonly patient_id: number;
  readonly doctor_id: number;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly version: number;
  readonly calendar_sequence: number;
}

/**
 * Moves an appointment to another start or provider, its length kept, and notifies the patient of an upcoming one. Throws
 * 'slot-taken' for a taken time. A drop on the very same place changes and sends nothing.
 */
export async function moveTo(
  tx: Tx,
  context: Context,
  mover: Mover,
  stored: Stored,
  wanted: { startsAt: string; doctorId: number },
  now: string,
): Promise<{ startDate: string; endDate: string; version: number; notice: MoveNotice }> {
  const { startsAt, doctorId } = wanted;
  const length = Date.parse(stored.ends_at) - Date.parse(stored.starts_at);
  const endsAt = new Date(Date.parse(startsAt) + length).toISOString();
  if (startsAt === stored.starts_at && doctorId === stored.doctor_id) {
    return { startDate: startsAt, endDate: endsAt, version: stored.version, notice: 'none' };
  }
  const { companyId, timeZone, userId, overbook } = mover;
  const claim: Claim = {
    ...{ companyId, timeZone, doctorId, startsAt, endsAt, now },
    own: { ...mover.own, appointmentId: stored.appointment_id },
    ...(overbook !== undefined && { staff: { overbook } }),
  };
  const { overbooked } = await claimProviderTime(tx, claim);
  const version = stored.version + 1;
  const told = await writeMove(tx, claim, stored.appointment_id, {
    starts_at: startsAt,
    ends_at: endsAt,
    doctor_id: doctorId,
    overbooked,
    immediate: false,
    start_set_at: startsAt === stored.starts_at ? undefined : now,
    version,
    calendar_sequence: stored.calendar_sequence + 1,
  });
  if (doctorId !== stored.doctor_id) {
    await tx
      .updateTable('visits')
      .set({ doctor_id: doctorId })
      .where('appointment_id', '=', stored.appointment_id)
      .execute();
  }
  const moved = {
    ...{ companyId, appointmentId: stored.appointment_id, patientId: stored.patient_id, byUserId: userId, now },
    from: { startsAt: stored.starts_at, doctorId: stored.doctor_id },
    to: { startsAt, doctorId },
    hold: userId !== null,
  };
  const notice = await queueNewTime(tx, context, moved, told);
  return { startDate: startsAt, endDate: endsAt, version, notice };
}
