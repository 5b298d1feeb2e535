import { type ChangePlan, planCreation } from '@roomside/contract/appointments/change.ts';
import { type AppointmentOfRow, importedAs, isNamed } from '@roomside/contract/csv-import/read-appointment.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { isoNow } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { fold } from '../../../platform/fold.ts';
import { initialFee } from '../../appointments/initial-fee.ts';
import type { Parts } from '../claimed.ts';
import { type FileRow, type Plan, type PlannedRow, type Planning, refuse } from '../kind.ts';
import { type FoundUser, Providers } from '../match-providers.ts';

/** What an import does with a row of an appointment. */
export type AppointmentPlan =
  | {
      readonly kind: 'create';
      readonly change: ChangePlan;
      /** Dollars. */
      readonly fee: string;
      readonly completedElsewhere: boolean;
    }
  /** The appointment is there as the row says. */
  | { readonly kind: 'keep'; readonly appointmentId: number }
  | Extract<Plan, { kind: 'refuse' }>;

export type AppointmentRow = FileRow<AppointmentOfRow>;
export type PlannedAppointment = PlannedRow<AppointmentOfRow, AppointmentPlan>;

/**
 * Says what becomes of rows: an appointment that is there is kept, others are created when patient and provider are known and the provider is free
 * (decision 068). Nothing is changed, and nothing booked over. In the import, patients and providers are locked, in this order, as wherever
 * appointments are booked.
 */
export async function planAppointments(
  tx: Tx,
  context: Parts,
  rows: readonly AppointmentRow[],
  { isImport, claimed: { companyId } }: Planning,
): Promise<PlannedAppointment[]> {
  const now = isoNow(context.clock);
  const company = await tx
    .selectFrom('companies')
    .select(['duration', 'self_pay_fee'])
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const providers = await Providers.read(tx, companyId);
  const matches = await matchPatients(tx, rows);
  const patients = await readPatients(tx, matches, isImport);
  const wanted = rows.map(({ value }, n): Wanted | undefined => {
    if (!value) return undefined;
    const found = providers.find(value.provider);
    const own = matches.filter((match) => match.n === n && patients.has(match.patientId));
    const endsAt = addMinutes(value.startsAt, value.minutes ?? company.duration);
    return { value, found, patient: patientOf(value, own, patients), endsAt };
  });
  const users = [...new Set(wanted.flatMap((one) => (one && 'user' in one.found ? [one.found.user.userId] : [])))];
  if (isImport) await lockProviders(tx, users);
  const stored = Map.groupBy(await matchAppointments(tx, wanted), ({ n }) => n);
  return rows.map((row, n): PlannedAppointment => {
    const one = wanted[n];
    if (!one) return { row, plan: { kind: 'refuse', problems: row.problems } };
    return { row, plan: planRow(one, stored.get(n) ?? [], { now, fee: company.self_pay_fee }) };
  });
}

interface Wanted {
  readonly value: AppointmentOfRow;
  readonly found: ReturnType<Providers['find']>;
  readonly patient: { readonly patientId: number } | Extract<Plan, { kind: 'refuse' }>;
  readonly endsAt: string;
}

function planRow(
  { value, found, patient, endsAt }: Wanted,
  stored: readonly Stored[],
  { now, fee }: { now: string; fee: string },
): AppointmentPlan {
  const user: FoundUser | undefined = 'user' in found ? found.user : undefined;
  const same = stored.find((one) => (one.how === 'id' || one.how === 'start') && isSame(one, value, user));
  if (same) return { kind: 'keep', appointmentId: same.appointment_id };
  if (stored.some(({ how }) => how === 'id')) return refuse('differs');
  if (value.problemsIfNew.length > 0) return { kind: 'refuse', problems: value.problemsIfNew };
  if (!('user' in found)) return refuse(found.problem, found.detail);
  if ('kind' in patient) return patient;
  if (stored.some(({ how }) => how === 'start')) return refuse('differs');
  if (!found.user.isProvider) return refuse('provider-disabled');
  const status = importedAs(value.status, endsAt, now);
  const cancelled = status === 'cancelled';
  if (!cancelled && stored.some(({ how }) => how === 'busy')) return refuse('overlap');
  if (!cancelled && stored.some(({ how }) => how === 'calendar')) return refuse('overlap-calendar');
  const change = planCreation(
    {
      startsAt: value.startsAt,
      endsAt,
      doctorId: found.user.userId,
      patientId: patient.patientId,
      cancelled,
      immediate: false,
    },
    now,
  );
  // What is over was paid, if at all, in the system before.
  const isPast = Date.parse(endsAt) <= Date.parse(now);
  return {
    kind: 'create',
    change,
    fee: isPast ? '0' : initialFee(found.user.fee, fee),
    completedElsewhere: status === 'completed',
  };
}

/** Whether a stored appointment is as a row says. What the row leaves out is not compared. */
function isSame(stored: Stored, value: AppointmentOfRow, user: FoundUser | undefined): boolean {
  const isText = (one: string, other: string) => one === '' || fold(one) === fold(other);
  const minutes = (Date.parse(stored.ends_at) - Date.parse(stored.starts_at)) / 60_000;
  return (
    stored.doctor_id === user?.userId &&
    Date.parse(stored.starts_at) === Date.parse(value.startsAt) &&
    (value.minutes === null || value.minutes === minutes) &&
    (value.status === null || (value.status === 'cancelled') === stored.cancelled) &&
    // Found by patient and start, it is of this patient.
    (stored.how === 'start' ||
      (isText(value.firstName, stored.first_name) &&
        isText(value.lastName, stored.last_name) &&
        (value.birthDate === '' || value.birthDate === stored.birth_date) &&
        (value.patientExternalId === '' || value.patientExternalId === stored.external_id)))
  );
}

interface Match {
  readonly n: number;
  readonly patientId: number;
  readonly byExternal: boolean;
}

/** The patients that rows may name: by the external id, and by name and birth date. */
async function matchPatients(tx: Tx, rows: readonly AppointmentRow[]): Promise<readonly Match[]> {
  const asked = rows.flatMap(({ value }, n) => {
    if (!value || !isNamed(value)) return [];
    const { patientExternalId: e, firstName, lastName, birthDate } = value;
    const isPerson = Boolean(firstName && lastName && birthDate);
    const person = isPerson ? { f: firstName, l: lastName, b: birthDate } : { f: null, l: null, b: null };
    return [{ n, e, ...person, m: '', p: [], a: true }];
  });
  if (asked.length === 0) return [];
  const { rows: found } = await sql<{ n: number; patient_id: number; by_external: boolean }>`
    select * from match_patients(${JSON.stringify(asked)}::jsonb)`.execute(tx);
  return found.map((one) => ({ n: one.n, patientId: one.patient_id, byExternal: one.by_external }));
}

interface StoredPatient {
  readonly patient_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly birth_date: string | null;
  readonly external_id: string;
}

/** Reads patients. `lock`: against archiving and merging until the end of the transaction. */
async function readPatients(
  tx: Tx,
  matches: readonly Match[],
  lock: boolean,
): Promise<ReadonlyMap<number, StoredPatient>> {
  const ids = [...new Set(matches.map(({ patientId }) => patientId))];
  if (ids.length === 0) return new Map();
  const query = tx
    .selectFrom('patients')
    .select(['patient_id', 'first_name', 'last_name', 'birth_date', 'external_id'])
    .where(sql<boolean>`patient_id = any(${ids}::bigint[])`)
    .where('archived_at', 'is', null)
    .orderBy('patient_id');
  const rows = await (lock ? query.forShare() : query).execute();
  return new Map(rows.map((row) => [row.patient_id, row]));
}

/** The patient of a row: of the external id, else of name and birth date. What contradicts is refused, as in an import of patients. */
function patientOf(
  value: AppointmentOfRow,
  matches: readonly Match[],
  patients: ReadonlyMap<number, StoredPatient>,
): Wanted['patient'] {
  if (!isNamed(value)) return refuse('patient-needed');
  const byExternal = matches.filter((match) => match.byExternal);
  const candidates = byExternal.length > 0 ? byExternal : matches;
  if (candidates.length > 1) return refuse('several', candidates.length);
  const known = patients.get(candidates[0]?.patientId ?? 0);
  if (!known) return refuse('patient-unknown');
  const isName = (one: string, other: string) => one === '' || fold(one) === fold(other);
  const isOtherName = !isName(value.firstName, known.first_name) || !isName(value.lastName, known.last_name);
  const isOtherDate = value.birthDate !== '' && value.birthDate !== known.birth_date;
  const isUnsaid = value.firstName === '' && value.lastName === '';
  if (byExternal.length > 0 && isOtherDate && (isOtherName || isUnsaid)) return refuse('other-person');
  const isOtherId = value.patientExternalId !== '' && known.external_id !== '';
  if (byExternal.length === 0 && isOtherId) return refuse('other-external');
  return { patientId: known.patient_id };
}

/** Locks providers against other bookings, in the order of their ids. */
async function lockProviders(tx: Tx, users: readonly number[]): Promise<void> {
  await sql`select 1 from users where user_id = any(${users}::bigint[]) order by user_id for no key update`.execute(tx);
}

interface Stored {
  readonly n: number;
  /** Found by its number, by patient, provider and start, or at the time of the row. `calendar`: a busy time there, without an appointment. */
  readonly how: 'id' | 'start' | 'busy' | 'calendar';
  readonly appointment_id: number;
  readonly doctor_id: number;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly cancelled: boolean;
  readonly first_name: string;
  readonly last_name: string;
  readonly birth_date: string | null;
  readonly external_id: string;
}

/** The appointments that rows may be of, and those that are in their way. After the locks, so that it sees what was booked before them. */
async function matchAppointments(tx: Tx, wanted: readonly (Wanted | undefined)[]): Promise<readonly Stored[]> {
  const asked = wanted.flatMap((one, n) =>
    one
      ? [
          {
            n,
            x: one.value.externalId,
            p: 'kind' in one.patient ? null : one.patient.patientId,
            d: 'user' in one.found ? one.found.user.userId : null,
            s: one.value.startsAt,
            e: one.endsAt,
          },
        ]
      : [],
  );
  if (asked.length === 0) return [];
  const { rows } = await sql<Stored>`
    select * from match_appointments(${JSON.stringify(asked)}::jsonb)`.execute(tx);
  return rows;
}
