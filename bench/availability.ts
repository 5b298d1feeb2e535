import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { allowSignUp, buildAppointment, buildCompany, buildPatient, buildUser } from '../server/src/demo/builders.ts';
import { type Attacker, attacks } from './availability/attacks.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, startBenchCluster } from './support/cluster.ts';
import { round } from './support/load.ts';
import { startServer } from './support/processes.ts';

const password = 'three blue ferries';
const victimAddress = '192.0.2.10';
const patientAddress = '192.0.2.20';

interface Person {
  readonly port: number;
  readonly email: string;
  token: string;
  cookies: string;
  address?: string;
}

interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly json: unknown;
}

const agent = new http.Agent({ keepAlive: true });

/** Sends one request of the normal user, from the clinic's network. */
function ask(person: Person, method: string, target: string, body?: object): Promise<Reply> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port: person.port, method, path: target }, (response) => {
      const chunks: Buffer[] = [];
      for (const cookie of response.headers['set-cookie'] ?? []) {
        const [pair = ''] = cookie.split(';');
        const [name = ''] = pair.split('=');
        const kept = person.cookies.split('; ').filter((one) => one && !one.startsWith(`${name}=`));
        person.cookies = [...kept, pair].join('; ');
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - start, json: text && JSON.parse(text) });
      });
    });
    request.setHeader('x-forwarded-for', person.address ?? victimAddress);
    if (person.cookies) request.setHeader('cookie', person.cookies);
    if (person.token) request.setHeader('authorization', `Bearer ${person.token}`);
    if (body) request.setHeader('content-type', 'application/json');
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

async function signIn(person: Person): Promise<Reply> {
  person.token = '';
  const body = { isPatient: false, user: { email: person.email, password } };
  const answer = await ask(person, 'POST', '/api/auth/login', body);
  if (answer.status === 200) person.token = (answer.json as { accessToken: string }).accessToken;
  return answer;
}

interface WorkResult {
  readonly calls: number[];
  readonly signIns: number[];
  refused: number;
}

/** An appointment of the clinic, with its patient's access code. */
interface Visit {
  readonly appointmentId: number;
  readonly accessCode: string;
}

/**
 * Simulates a clinic for `ms`: a user at the front desk reads the counter, an appointment and the patients, renews the token, begins a
 * connection to the hub, and signs in sometimes; a patient opens their link.
 */
async function work(person: Person, { appointmentId, accessCode }: Visit, ms: number): Promise<WorkResult> {
  const day: WorkResult = { calls: [], signIns: [], refused: 0 };
  const patient: Person = { port: person.port, email: accessCode, token: '', cookies: '', address: patientAddress };
  const calls = [
    () => ask(person, 'GET', '/api/waiting-room/count'),
    () => ask(person, 'GET', `/api/appointments/${appointmentId}`),
    () => ask(person, 'GET', '/api/patients?top=20&skip=0'),
    () => ask(person, 'POST', '/api/auth/refresh', { kind: 'staff', active: true }),
    () => ask({ ...patient }, 'POST', '/api/auth/login', { isPatient: true, user: { email: accessCode } }),
    () => ask(person, 'POST', '/messaging/negotiate?negotiateVersion=1'),
  ];
  const end = performance.now() + ms;
  for (let i = 0; performance.now() < end; i += 1) {
    const turn = i % (calls.length + 1);
    const isSignIn = turn === 0;
    const answer = isSignIn ? await signIn(person) : await (calls[turn - 1] ?? signIn)(person);
    (isSignIn ? day.signIns : day.calls).push(answer.ms);
    if (answer.status !== 200) day.refused += 1;
    await pause(20);
  }
  return day;
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Starts a mail server that accepts connections and never responds. */
async function startHangingMailServer(): Promise<number> {
  const server = net.createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as net.AddressInfo).port;
}

/** How long the user works without an attack before each attack, ms. All of these periods are the reference. */
const quietMs = 6_000;

/**
 * During each attack a user of another clinic works and signs in on a known device. Returns p99 of calls and sign-ins relative to those
 * without an attack, and the number of refused requests. `seconds`: duration of each attack.
 */
export async function availability(seconds = 15): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  const figures: Record<string, number> = {};
  try {
    const { victim, attacker } = await buildClinics(cluster.application);
    const mail = await startHangingMailServer();
    const env = { TRUST_PROXY: '1', SMTP_URL: `smtp://127.0.0.1:${mail}`, MAIL_FROM: 'Clinic <clinic@bench.test>' };
    const server = await startServer('ours', cluster, 0, env);
    const person: Person = { port: server.port, email: victim.email, token: '', cookies: '' };
    const own: Person = { port: server.port, email: attacker.email, token: '', cookies: '' };
    await signIn(person);
    const limited = { ...attacker, port: server.port, victimEmail: victim.email, victimAddress };
    await work(person, victim.visit, 4000);
    const quiet: WorkResult = { calls: [], signIns: [], refused: 0 };
    const attackedDays = new Map<string, WorkResult>();
    for (const name of Object.keys(attacks)) {
      const idle = await work(person, victim.visit, quietMs);
      quiet.calls.push(...idle.calls);
      quiet.signIns.push(...idle.signIns);
      if ((await signIn(own)).status !== 200) throw new Error('The attacker cannot sign in.');
      const { json: account } = await ask(own, 'GET', '/api/account');
      const child = startAttack(name, { ...limited, token: own.token, account: account as object });
      await pause(1500);
      attackedDays.set(name, await work(person, victim.visit, seconds * 1000));
      child.kill('SIGKILL');
      await once(child, 'exit');
      // Waiting requests end before the next attack begins.
      await pause(2500);
    }
    process.stdout.write(`${'undisturbed'.padEnd(20)} ${formatResult(quiet)}\n`);
    for (const [name, day] of attackedDays) {
      process.stdout.write(`${name.padEnd(20)} ${formatResult(day)}\n`);
      figures[`${name}Calls`] = round(percentile(day.calls, 0.99) / percentile(quiet.calls, 0.99));
      figures[`${name}SignIn`] = round(percentile(day.signIns, 0.99) / percentile(quiet.signIns, 0.99));
      figures[`${name}Refused`] = day.refused;
    }
    await server.stop();
    return figures;
  } finally {
    await cluster.stop();
  }
}

const formatTimes = (times: readonly number[]) =>
  `p50 ${percentile(times, 0.5).toFixed(0)}, p99 ${percentile(times, 0.99).toFixed(0)} ms of ${times.length}`;
const formatResult = ({ calls, signIns, refused }: WorkResult) =>
  `calls ${formatTimes(calls)}; sign-ins ${formatTimes(signIns)}; ${refused} refused`;

function startAttack(name: string, attacker: Attacker) {
  return fork(path.join(import.meta.dirname, 'availability/attack.ts'), [name], {
    env: { ...process.env, ATTACKER: JSON.stringify(attacker) },
  });
}

/** Creates two clinics: the attacker's, with appointments to send invitations for, and the user's. */
async function buildClinics(database: BenchCluster['application']) {
  const app = await buildBenchApp(database);
  const { context } = app;
  const clinic = async (count: number) => {
    const { companyId } = await buildCompany(context);
    const { email, userId } = await buildUser(context, { companyId, role: 'A', password });
    const colleague = await buildUser(context, { companyId, role: 'U' });
    const visits: Visit[] = [];
    for (let i = 0; i < count; i += 1) {
      const { patientId } = await buildPatient(context, { companyId, email: `p${companyId}-${i}@bench.test` });
      const startDate = new Date(Date.now() + (i + 1) * 3_600_000).toISOString();
      visits.push(await buildAppointment(context, { companyId, patientId, doctorId: userId, startDate }));
    }
    return { email, visits, colleague };
  };
  const [attackerClinic, userClinic] = [await clinic(60), await clinic(30)];
  await allowSignUp(context, ['127.0.0.1']);
  await app.close();
  return {
    victim: { email: userClinic.email, visit: userClinic.visits[0] as Visit },
    attacker: {
      email: attackerClinic.email,
      appointmentIds: attackerClinic.visits.map(({ appointmentId }) => appointmentId),
      colleague: formOf(attackerClinic.colleague),
    },
  };
}

/** The form of a user, as an administrator would send it after somebody else has changed it. */
const formOf = ({ userId, email }: { userId: number; email: string }) => ({
  userId,
  version: 99,
  firstName: 'Dana',
  lastName: 'Doctor',
  email,
  phone: '',
  roleId: 'U',
  npi: '',
  selfPayFee: '',
  notificationType: 1,
  notifyForUsers: [],
  disabled: false,
});
