import { instantToWall, wallToInstant } from '@roomside/contract/time.ts';
import { isoNow } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import {
  type AppointmentValues,
  allowSignUp,
  buildAppointment,
  buildBookingRequest,
  buildCompany,
  buildPatient,
  buildRule,
  buildTimeOff,
  buildUser,
  isEmptyInstallation,
} from './builders.ts';

/** The password of all users of the demo. */
const password = 'roomside-demo-2026';

const users = [
  { email: 'doctor@demo.test', role: 'D', firstName: 'Maya', lastName: 'Reyes' },
  { email: 'doctor2@demo.test', role: 'D', firstName: 'Jonas', lastName: 'Lindqvist' },
  { email: 'admin@demo.test', role: 'A', firstName: 'Avery', lastName: 'Okafor' },
  { email: 'staff@demo.test', role: 'U', firstName: 'Sam', lastName: 'Whitfield' },
] as const;

const firstNames = [
  'Olivia',
  'Liam',
  'Emma',
  'Noah',
  'Sofia',
  'Mateo',
  'Aisha',
  'Wei',
  'Priya',
  'Lucas',
  'Hannah',
  'Kwame',
  'Ingrid',
  'Diego',
  'Yuki',
  'Fatima',
  'Oscar',
  'Zoe',
  'Siobhan',
  'Marek',
];
const lastNames = [
  "O'Brien",
  'Nguyen',
  'García',
  'Müller',
  'Johnson',
  'Haddad',
  'Kowalski',
  'Tanaka',
  'Mensah',
  'Rossi',
  'Dubois',
  'Andersen',
  'Silva',
  'Cohen',
  'Petrov',
  'Ali',
  'Martin',
  'Larsen',
  'de la Cruz',
  'Smith-Jones',
];

/** Fills an empty installation: one company in this machine's time zone, with appointments from a month ago to two weeks ahead. */
export async function fillDemo(context: Context): Promise<void> {
  if (!(await isEmptyInstallation(context))) return;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  const { companyId } = await buildCompany(context, {
    companyName: 'Demo Clinic',
    timeZone,
    selfPayFee: '60.00',
    duration: 30,
    genericSchedule: true,
    allowReq: true,
    notifyUsersMin: 10,
    allowRecording: true,
  });
  const doctors: number[] = [];
  for (const person of users) {
    const { userId } = await buildUser(context, { ...person, companyId, password });
    if (person.role === 'D') doctors.push(userId);
  }
  await buildUser(context, {
    companyId: null,
    email: 'super@demo.test',
    firstName: 'Robin',
    lastName: 'Sato',
    password,
  });
  await allowSignUp(context, ['localhost', '127.0.0.1']);
  const patients = await fillPatients(context, companyId);
  const clinic = { companyId, doctors, patients, timeZone };
  await fillAppointments(context, clinic);
  await fillSchedule(context, clinic);
  // The demo has visits already.
  await context.db.open({ kind: 'super' }, (tx) =>
    tx
      .updateTable('companies')
      .set({ first_steps_dismissed_at: isoNow(context.clock) })
      .where('company_id', '=', companyId)
      .execute(),
  );
}

/** Creates 40 patients, every fifth without an email. Phone numbers have the fictional exchange 555. */
async function fillPatients(context: Context, companyId: number): Promise<number[]> {
  const patientIds: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const firstName = firstNames[i % firstNames.length] ?? '';
    const lastName = lastNames[(i * 7 + Math.floor(i / 20)) % lastNames.length] ?? '';
    const localPart = `${firstName}.${lastName}`
      .normalize('NFD')
      .replace(/[^a-zA-Z.]/g, '')
      .toLowerCase();
    const { patientId } = await buildPatient(context, {
      companyId,
      firstName,
      lastName,
      birthDate: `${1945 + ((i * 13) % 70)}-${String(1 + (i % 12)).padStart(2, '0')}-${String(1 + ((i * 5) % 28)).padStart(2, '0')}`,
      email: i % 5 === 4 ? '' : `${localPart}@patients.test`,
      phones: [`212555${String(1000 + i)}`],
      createdAt: new Date(context.clock.now() - (90 - i) * 86_400_000).toISOString(),
    });
    patientIds.push(patientId);
  }
  return patientIds;
}

interface Clinic {
  companyId: number;
  doctors: number[];
  patients: number[];
  timeZone: string;
}

/** Creates appointments on weekdays from 30 days ago to 14 days ahead, and always today. */
async function fillAppointments(context: Context, clinic: Clinic): Promise<void> {
  const now = isoNow(context.clock);
  const today = Temporal.PlainDate.from(instantToWall(now, clinic.timeZone).day);
  let turn = 0;
  for (let offset = -30; offset <= 14; offset += 1) {
    const day = today.add({ days: offset });
    if (offset !== 0 && day.dayOfWeek > 5) continue;
    const times =
      offset === 0
        ? ['08:30', '09:30', '10:30', '11:30', '13:30', '14:30', '15:30', '16:30']
        : ['09:00', '11:00', '14:00'];
    for (const [index, time] of times.entries()) {
      const startDate = wallToInstant(day.toString(), time, clinic.timeZone);
      const doctorId = clinic.doctors[offset === 0 ? index % 2 : (turn + index) % 2];
      const patientId = clinic.patients[turn % clinic.patients.length];
      turn += 1;
      if (doctorId === undefined || patientId === undefined) continue;
      await buildAppointment(context, {
        companyId: clinic.companyId,
        doctorId,
        patientId,
        startDate,
        minutes: 30,
        fee: '60.00',
        ...outcomeOf(startDate < now, turn, startDate),
      });
    }
  }
}

/** Gives the second provider two rules and a week of leave, and adds a closure and a booking request. */
async function fillSchedule(context: Context, { companyId, doctors, patients, timeZone }: Clinic): Promise<void> {
  const [, second] = doctors;
  const [patientId] = patients;
  if (second === undefined || patientId === undefined) return;
  const today = Temporal.PlainDate.from(instantToWall(isoNow(context.clock), timeZone).day);
  const monday = today.add({ days: 29 - today.dayOfWeek });
  const rule = {
    companyId,
    doctorIds: [second],
    ruleType: 'W' as const,
    activeStartDate: today.with({ day: 1 }).toString(),
  };
  const office = {
    times: [
      ['08:00', '12:00'],
      ['13:00', '17:00'],
    ] as const,
  };
  await buildRule(context, { ...rule, ...office, description: 'Office hours', weekMask: 0b0111110 });
  await buildRule(context, {
    ...rule,
    times: [['17:30', '19:30']],
    description: 'Tuesday evenings',
    weekMask: 0b0000100,
  });
  const days = (first: Temporal.PlainDate, count: number) => ({
    firstDay: first.toString(),
    lastDay: first.add({ days: count - 1 }).toString(),
  });
  await buildTimeOff(context, { companyId, userId: second, ...days(monday, 5), reason: 'Conference' });
  await buildTimeOff(context, { companyId, ...days(monday.add({ days: 9 }), 1), reason: 'Staff training' });
  await buildBookingRequest(context, { companyId, patientId, wish: 'Any weekday after six in the evening, please.' });
}

/** Varies the appointments: completed and paid, completed and unpaid, missed, cancelled, or scheduled. */
function outcomeOf(isPast: boolean, turn: number, startDate: string): Partial<AppointmentValues> {
  const after = (seconds: number) => new Date(Date.parse(startDate) + seconds * 1000).toISOString();
  if (turn % 9 === 4) return { cancelled: true, cancellationNotes: 'Cancelled by phone.' };
  if (!isPast) return turn % 6 === 2 ? { welcomeMessage: 'Please have your medication list at hand.' } : {};
  if (turn % 8 === 5) return { visit: { arrivedAt: after(120), waited: 540, providerCame: false } };
  if (turn % 8 === 7) return {};
  const duration = 420 + ((turn * 97) % 1300);
  const visit = {
    arrivedAt: after(-90),
    providerCame: true,
    duration,
    waited: 90 + ((turn * 31) % 200),
    endedAt: after(duration),
  };
  return {
    visit,
    collected: turn % 3 === 0 ? '60.00' : turn % 3 === 1 ? '25.00' : '0',
    notes: turn % 4 === 0 ? 'Follow-up in two weeks.' : '',
  };
}

/** Prints the address and the users of the demo. */
export function announceDemo(url: string): void {
  process.stdout.write(
    [
      '',
      `  Roomside (demo) is running at ${url}`,
      '',
      ...users.map(
        ({ email, firstName, lastName, role }) =>
          `  ${email.padEnd(20)} ${roleNames[role].padEnd(14)} ${firstName} ${lastName}`,
      ),
      `  ${'super@demo.test'.padEnd(20)} ${'installation'.padEnd(14)} Robin Sato`,
      `  password for all:    ${password}`,
      '',
      `  Provider Login       ${url}/#/login`,
      `  Mails and texts      ${url}/dev/outbox`,
      '',
      '  Ctrl+C stops it.',
      '',
      '',
    ].join('\n'),
  );
}

const roleNames = { A: 'administrator', D: 'doctor', U: 'staff' } as const;
