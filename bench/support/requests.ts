import pg from 'pg';
import type { BenchCluster } from './cluster.ts';
import type { Shot } from './load.ts';

export interface Move {
  appointmentId: number;
  version: number;
  startDate: string;
  doctorId: number;
  patientId: number;
}

export interface SignedIn {
  readonly accessToken: string;
  readonly signInId: number;
}

/** Returns a generator of moves of appointments of different providers, each to another free time far in the future. */
export async function moves(cluster: BenchCluster, ...companyIds: readonly number[]): Promise<() => Move> {
  const client = new pg.Client(cluster.owner);
  await client.connect();
  const { rows } = await client.query<{ id: number; doctor: number; patient: number }>(
    `select appointment_id::int as id, doctor_id::int as doctor, patient_id::int as patient from appointments
     where company_id = any($1) order by md5(appointment_id::text) limit 20000`,
    [companyIds],
  );
  await client.end();
  let moved = 0;
  return () => {
    const row = rows[moved];
    if (!row) throw new Error('All appointments were moved once: use a higher COUNT.');
    const startDate = new Date(Date.UTC(2060, 0, 1) + moved * 900_000).toISOString();
    moved += 1;
    return { appointmentId: row.id, version: 0, startDate, doctorId: row.doctor, patientId: row.patient };
  };
}

/** Returns requests to the application. */
export function requestsToApplication(port: number, { accessToken }: SignedIn) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const rest = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
  const get = (path: string): Shot => ({ port, method: 'GET', path, headers });
  return {
    list: (path = '/api/appointments?top=50&skip=0&total=1') => get(path),
    count: () => get('/api/waiting-room/count'),
    patients: () => get('/api/patients?top=20&skip=0'),
    slots: (doctorId: number, date: string) => get(`/api/schedule/slots?doctorId=${doctorId}&date=${date}`),
    save: (next: () => Move): Shot => ({
      port,
      method: 'POST',
      path: '/api/appointments',
      headers,
      body: () => JSON.stringify({ ...next(), ...rest }),
    }),
  };
}

/** Signs a user in. `address` is the client's address, for servers with TRUST_PROXY. */
export async function signIn(
  port: number,
  user: { readonly email: string; readonly password: string },
  address = '127.0.0.1',
): Promise<SignedIn> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ isPatient: false, user }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { accessToken } = (await response.json()) as { accessToken: string };
  const [, claims = ''] = accessToken.split('.');
  const { sid } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sid: number };
  return { accessToken, signInId: sid };
}
