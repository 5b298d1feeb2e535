import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import type pg from 'pg';
import { type BuiltAppointment, buildAppointment, buildCompany, buildUser } from '../src/demo/builders.ts';
import { type Person, password, type TestApp } from './test-app.ts';

export interface OpenVisit {
  readonly visit: BuiltAppointment;
  /** Of the visit, as calls and the hub name it. */
  readonly uid: string;
  readonly doctor: Person;
  readonly admin: Person;
  readonly patient: Person;
}

/** A clinic of its own with a visit now; its doctor, its patient and an administrator have signed in. */
export async function openVisit(app: TestApp): Promise<OpenVisit> {
  const { companyId } = await buildCompany(app.context);
  const own = await buildUser(app.context, { companyId, role: 'D', password });
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  const visit = await buildAppointment(app.context, { companyId, doctorId: own.userId });
  return {
    visit,
    uid: visit.appointmentUid,
    doctor: await app.signIn({ email: own.email, password }),
    admin: await app.signIn({ email, password }),
    patient: await app.signInPatient(visit.accessCode),
  };
}

/** The visit as the staff's list has it. */
export async function rowOf(admin: Person, { patientId }: BuiltAppointment) {
  const answer = await admin.call(listAppointments, { query: { top: 5, skip: 0, patientId } });
  return answer.json.data[0];
}

/** The ids of the peers whose stays last. */
export async function openStaysOf(owner: pg.Client, { appointmentId }: BuiltAppointment): Promise<string[]> {
  const { rows } = await owner.query<{ peer_id: string }>(
    'select peer_id from peers where appointment_id = $1 and left_at is null',
    [appointmentId],
  );
  return rows.map(({ peer_id }) => peer_id);
}
