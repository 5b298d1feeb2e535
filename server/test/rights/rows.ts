import type { Call } from '@roomside/contract/call.ts';
import type { Target } from './world.ts';

/** What a call is tried with for a target. */
interface Attempt {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/**
 * One row of expected rights. `reaches` says what decides beyond the caller's kind: nothing ('self'), the company of the
 * target ('company'), or for patients also whose it is ('visit'). `done` is the status of a success.
 */
export interface RightsRow {
  reaches: 'self' | 'company' | 'visit';
  done: number;
  attempt(target: Target): Attempt;
  /** Changes something: then every cell gets a target of its own. */
  changes?: true;
}

const patient = (patientId: number) => ({
  patientId,
  version: 0,
  firstName: 'New',
  lastName: 'Name',
  doB: '1980-01-01',
  email: 'new@example.test',
  externalId: '',
  patientPhones: [],
});
const appointment = (target: Target) => ({
  appointmentId: target.appointmentId,
  version: 0,
  startDate: '2031-01-01T10:00:00.000Z',
  doctorId: target.doctorId,
  patientId: target.patientId,
  cancelled: false,
  cancellationNotes: '',
  externalId: '',
  welcomeMessage: '',
  overbook: true,
});
const list = { top: 50, skip: 0 };
const self = (done: number, attempt: Attempt = {}): RightsRow => ({ reaches: 'self', done, attempt: () => attempt });

/** Every call that needs a sign-in has its row here; a missing one fails the build. */
export const rightsRows: Record<string, RightsRow> = {
  getSession: self(200),
  getAccount: self(200),
  // One's own record with somebody else's id is nobody's.
  saveAccount: {
    reaches: 'self',
    done: 404,
    attempt: (t) => ({
      body: {
        userId: t.doctorId + 500_000,
        firstName: 'A',
        lastName: 'B',
        email: 'a@b.test',
        phone: '',
        notificationType: 1,
        version: 0,
      },
    }),
  },
  listDoctors: self(200),
  getCompanySettings: self(200),
  listPatients: self(200, { query: list }),
  getPatient: { reaches: 'company', done: 200, attempt: (t) => ({ params: { patientId: t.patientId } }) },
  savePatient: { reaches: 'company', done: 200, changes: true, attempt: (t) => ({ body: patient(t.patientId) }) },
  deletePatient: {
    reaches: 'company',
    done: 409,
    changes: true,
    attempt: (t) => ({ params: { patientId: t.patientId } }),
  },
  listAppointments: { reaches: 'self', done: 200, attempt: (t) => ({ query: { ...list, patientId: t.patientId } }) },
  downloadAppointments: self(200, { query: { startDate: '2030-01-01' } }),
  getAppointment: {
    reaches: 'company',
    done: 200,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId }, query: {} }),
  },
  saveAppointment: { reaches: 'company', done: 200, changes: true, attempt: (t) => ({ body: appointment(t) }) },
  deleteAppointment: {
    reaches: 'company',
    done: 204,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  notifyAppointment: {
    reaches: 'company',
    done: 204,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  connectAppointment: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId } }),
  },
  updateNotes: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ params: { appointmentId: t.appointmentId }, body: { notes: 'Well.', notesVersion: 0 } }),
  },
  startInstantAppointment: {
    reaches: 'company',
    done: 200,
    changes: true,
    attempt: (t) => ({ body: { patientId: t.patientId, email: '', phone: '' } }),
  },
  getArrivedCount: self(200),
  listArrived: self(200),
  getTeleappointment: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: dashed(t.appointmentUid) } }) },
  listMessages: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid.toUpperCase() } }) },
  getVisitCalendar: { reaches: 'visit', done: 200, attempt: (t) => ({ params: { uid: t.appointmentUid } }) },
  listMyVisits: self(200),
};

/** Ids are also tried with dashes and in capitals (rows above). */
const dashed = (uid: string) => uid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Calls before any sign-in: tested by themselves (auth.test.ts). */
export const needsRow = (call: Call): boolean => call.who !== 'anyone';
