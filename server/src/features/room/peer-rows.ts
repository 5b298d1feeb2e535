import type { PresentPeer, Sender } from '@roomside/contract/room/messages.ts';
import type { Tx } from '../../platform/database/database.ts';
import { guestOf } from './guest-of.ts';

/** The peers in the room except `self`, in the order in which they entered. */
export async function presentPeers(tx: Tx, appointmentId: number, self: string): Promise<PresentPeer[]> {
  const rows = await attendances(tx, appointmentId)
    .select('r.ready')
    .where('r.left_at', 'is', null)
    .where('r.peer_id', '<>', self)
    .orderBy('r.joined_at')
    .execute();
  return rows.map((row) => ({ ...toSender(row), ready: row.ready }));
}

/** The peers that were in the room and have left. */
export async function absentPeers(tx: Tx, appointmentId: number): Promise<Sender[]> {
  const rows = await attendances(tx, appointmentId)
    .distinctOn('r.peer_id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('peers as n')
            .select('n.attendance_id')
            .whereRef('n.appointment_id', '=', 'r.appointment_id')
            .whereRef('n.peer_id', '=', 'r.peer_id')
            .where('n.left_at', 'is', null),
        ),
      ),
    )
    .execute();
  return rows.map(toSender);
}

function attendances(tx: Tx, appointmentId: number) {
  return tx
    .selectFrom('peers as r')
    .leftJoin('users as u', 'u.user_id', 'r.user_id')
    .leftJoin('visit_guests as g', 'g.guest_id', 'r.guest_id')
    .innerJoin('patients as p', 'p.patient_id', 'r.patient_id')
    .select([
      'r.peer_id',
      'r.role_id',
      'r.user_id',
      'r.patient_id',
      'r.guest_id',
      'g.name as guest_name',
      'g.role as guest_role',
      'u.first_name',
      'u.last_name',
      'p.first_name as patient_first',
      'p.last_name as patient_last',
    ])
    .where('r.appointment_id', '=', appointmentId);
}

function toSender(row: Awaited<ReturnType<ReturnType<typeof attendances>['execute']>>[number]): Sender {
  const guest = guestOf(row);
  return {
    peerId: row.peer_id,
    roleId: row.role_id as Sender['roleId'],
    userId: row.user_id,
    patientId: row.role_id === 'P' ? row.patient_id : null,
    firstName: guest?.name ?? row.first_name ?? row.patient_first,
    lastName: guest ? '' : (row.last_name ?? row.patient_last),
    ...(guest && { guest }),
  };
}
