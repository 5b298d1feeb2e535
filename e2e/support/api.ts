import { demoPassword } from './server.ts';

/** Sends one call of the API as a signed-in person; throws on a refusal. */
export type Api = <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => Promise<T>;

/** Signs a demo user in without a browser. */
export async function apiAs(demo: { readonly url: string }, email: string): Promise<Api> {
  const ask = async <T>(method: string, path: string, body?: unknown, token?: string): Promise<T> => {
    const response = await fetch(demo.url + path, {
      method,
      headers: {
        // The server accepts requests of its pages only.
        origin: demo.url,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const user = { email, password: demoPassword };
  const signedIn = await ask<{ accessToken: string }>('POST', '/api/auth/login', { isPatient: false, user });
  return (method, path, body) => ask(method, path, body, signedIn.accessToken);
}

export interface BookedVisit {
  appointmentId: number;
  appointmentUid: string;
  version: number;
  patientId: number;
  doctorId: number;
  accessCode: string;
  startDate: string;
}

interface VisitWishes {
  doctor: string;
  patient: string;
  /** YYYY-MM-DD and HHmm in the clinic's zone; now by default. */
  date?: string;
  time?: string;
  [field: string]: unknown;
}

/** Books an appointment of the provider and the patient with these last names. */
export async function bookAppointment(
  api: Api,
  { doctor, patient, date, time, ...more }: VisitWishes,
): Promise<BookedVisit> {
  const doctors = await api<{ data: { userId: number; lastName: string }[] }>('GET', '/api/doctors');
  const doctorId = doctors.data.find(({ lastName }) => lastName === doctor)?.userId ?? 0;
  const patientId = await findPatient(api, patient);
  const at = date && time ? `date=${date}&time=${time}&` : '';
  const blank = await api<BookedVisit>('GET', `/api/appointments/0?${at}doctor=${doctorId}`);
  const saved = await api<BookedVisit>('POST', '/api/appointments', {
    appointmentId: 0,
    version: 0,
    startDate: date ? blank.startDate : new Date().toISOString(),
    doctorId,
    patientId,
    accessCode: '*',
    cancelled: false,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage: '',
    overbook: true,
    ...more,
  });
  return api<BookedVisit>('GET', `/api/appointments/${saved.appointmentId}`);
}

/** Returns the id of the first patient that a search finds. */
export async function findPatient(api: Api, filter: string): Promise<number> {
  const found = await api<{ data: { patientId: number }[] }>(
    'GET',
    `/api/patients?top=1&skip=0&filter=${encodeURIComponent(filter)}`,
  );
  const id = found.data[0]?.patientId;
  if (!id) throw new Error(`No patient '${filter}' in the demo.`);
  return id;
}

/** A date in the clinic's zone, `days` from today. */
export function dayAhead(days: number): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date());
  const date = new Date(`${today}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The first number of days from `days` on that is a day from Monday to Friday. */
export function daysToWeekday(days: number): number {
  return [0, 6].includes(new Date(`${dayAhead(days)}T00:00:00Z`).getUTCDay()) ? daysToWeekday(days + 1) : days;
}

/** The first day, YYYY-MM-DD, of the first month without appointments of the demo, which fills two weeks from today. */
export function freeMonth(): string {
  const first = new Date(`${dayAhead(14).slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + 1);
  return first.toISOString().slice(0, 10);
}
