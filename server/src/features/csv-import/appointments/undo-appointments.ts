import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { isoNow } from '../../../platform/clock.ts';
import type { AfterCommit, Tx } from '../../../platform/database/database.ts';
import { changeAppointment } from '../../appointments/change-appointment.ts';
import { lockAppointment } from '../../appointments/lock-appointment.ts';
import { hasRecords } from '../../records/has-records.ts';
import type { ImportRow, Parts } from '../claimed.ts';
import type { Undone } from '../kind.ts';

/** Appointments of one transaction; each takes some statements. */
const batchSize = 100;

/**
 * Archives the appointments that the import has created, in the order of their ids. Those that were edited since, of which the patient was
 * notified, or to which something has happened, stay: an undoing sends nothing.
 */
export async function archiveAppointments(
  tx: Tx,
  context: Parts,
  row: ImportRow,
  afterCommit: AfterCommit,
): Promise<Undone> {
  const { company_id: companyId, import_id: importId, by_user_id: userId } = row;
  const found = await tx
    .selectFrom('appointments')
    .innerJoin('companies', 'companies.company_id', 'appointments.company_id')
    .select(['appointment_id', 'time_zone', 'appointments.archived_at'])
    .where('appointments.company_id', '=', companyId)
    .where('appointments.import_id', '=', importId)
    .where('appointment_id', '>', row.position)
    .orderBy('appointment_id')
    .limit(batchSize)
    .execute();
  const now = isoNow(context.clock);
  const archived: number[] = [];
  let kept = 0;
  for (const { appointment_id: id, time_zone: timeZone, archived_at: archivedAt } of found) {
    if (archivedAt !== null) continue;
    if (!(await isUntouched(tx, id, now))) {
      kept += 1;
      continue;
    }
    // The user who has started the undoing is an administrator of the company.
    const caller = {
      ...({ kind: 'staff', role: 'A', userId, companyId, timeZone, currency: '', signInId: 0, serial: '' } as const),
      ...({ firstName: '', lastName: '', license: 'valid', secondFactor: 'settled' } as const),
    };
    const scope = { context, tx, afterCommit, caller, now };
    await changeAppointment(scope, await lockAppointment(tx, { id }, now), { kind: 'delete', hasActivity: false });
    archived.push(id);
  }
  return { archived, restored: [], kept, last: found.at(-1)?.appointment_id };
}

async function isUntouched(tx: Tx, id: number, now: string): Promise<boolean> {
  const { version, collected, duration } = await lockAppointment(tx, { id }, now);
  if (version > 0) return false;
  const notification = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (notification) return false;
  return mayDelete({ collected, duration, hasRecords: await hasRecords(tx, id, 'keepsAppointment') });
}
