import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import type pg from 'pg';
import {
  type BuiltAppointment,
  buildAppointment,
  buildCompany,
  buildUser,
  type CompanyValues,
} from '../src/demo/builders.ts';
import { type Person, password, type TestApp } from './test-app.ts';

export interface BuiltRoom {
  readonly appointment: BuiltAppointment;
  /** The appointment's uid, which names the room in calls and in the hub. */
  readonly uid: string;
  readonly doctor: Person;
  readonly admin: Person;
  readonly patient: Person;
}

/** A new company with an appointment that starts now. Its provider, its patient and an administrator are signed in. */
export async function buildRoom(app: TestApp, values: CompanyValues = {}): Promise<BuiltRoom> {
  const { companyId } = await buildCompany(app.context, values);
  const own = await buildUser(app.context, { companyId, role: 'D', password });
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  const appointment = await buildAppointment(app.context, { companyId, doctorId: own.userId });
  return {
    appointment,
    uid: appointment.appointmentUid,
    doctor: await app.signIn({ email: own.email, password }),
    admin: await app.signIn({ email, password }),
    patient: await app.signInPatient(appointment.accessCode),
  };
}

/** The appointment as in the list of staff. */
export async function readListRow(admin: Person, { patientId }: BuiltAppointment) {
  const response = await admin.call(listAppointments, { query: { top: 5, skip: 0, patientId } });
  return response.json.data[0];
}

/** The ids of the peers that are in the room, by the database. */
export async function listPresentPeerIds(owner: pg.Client, { appointmentId }: BuiltAppointment): Promise<string[]> {
  const { rows } = await owner.query<{ peer_id: string }>(
    'select peer_id from peers where appointment_id = $1 and left_at is null',
    [appointmentId],
  );
  return rows.map(({ peer_id }) => peer_id);
}
