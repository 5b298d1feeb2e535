import { toCents } from '@roomside/contract/money.ts';
import type { RuleBody } from '@roomside/contract/scheduling-rules/calls.ts';
import { blankRecurrence } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { sql } from 'kysely';
import { insertPatient } from '../features/patients/patient-rows.ts';
import { ruleColumnsOf, writeParts } from '../features/scheduling-rules/rule-rows.ts';
import { createAccessCode, newUid, storedCode } from '../platform/access-code.ts';
import { isoNow } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { Tx } from '../platform/database/database.ts';
import { sealedPlaces, sealText } from '../platform/sealed-text.ts';
import { searchTextOf } from '../platform/user-search.ts';

/**
 * Builders: each creates one row with default values, and its parents if they are missing. Used by tests, the demo and the
 * benchmarks.
 */

export interface CompanyValues {
  companyName?: string;
  timeZone?: string;
  currency?: string;
  disabled?: boolean;
  selfPayFee?: string;
  visitLimit?: number;
  duration?: 10 | 15 | 20 | 30 | 60;
  paymentProcessor?: string | null;
  /** Booking by link; `allowReq`: booking requests. */
  genericSchedule?: boolean;
  allowReq?: boolean;
  noticeHours?: number;
  remindBeforeMin?: number;
  notifyUsersMin?: number;
  slot?: 10 | 15 | 20 | 30 | 60;
  allowRecording?: boolean;
  providerCount?: number;
  /** YYYY-MM-DD, the day on which the license ends. */
  expirationDate?: string;
}

export async function buildCompany(
  context: Context,
  values: CompanyValues = {},
): Promise<{ companyId: number; companyUid: string }> {
  const companyUid = newUid();
  const row = await context.db.open({ kind: 'super' }, (tx) =>
    tx
      .insertInto('companies')
      .values({
        company_uid: companyUid,
        company_name: values.companyName ?? 'Test Clinic',
        time_zone: values.timeZone ?? 'America/New_York',
        currency: values.currency ?? 'USD',
        disabled: values.disabled ?? false,
        self_pay_fee: values.selfPayFee ?? '0',
        visit_limit: values.visitLimit ?? 0,
        duration: values.duration ?? 15,
        payment_processor: values.paymentProcessor ?? null,
        generic_schedule: values.genericSchedule ?? false,
        allow_req: values.allowReq ?? false,
        notice_hours: values.noticeHours ?? 24,
        remind_before_min: values.remindBeforeMin ?? 30,
        notify_users_min: values.notifyUsersMin ?? 0,
        slot: values.slot ?? 15,
        allow_recording: values.allowRecording ?? false,
        provider_count: values.providerCount ?? 100,
        expiration_date: values.expirationDate ?? '2099-12-31',
        created_at: isoNow(context.clock),
      })
      .returning('company_id')
      .executeTakeFirstOrThrow(),
  );
  return { companyId: row.company_id, companyUid };
}

export interface UserValues {
  companyId?: number | null;
  role?: 'A' | 'D' | 'U';
  firstName?: string;
  lastName?: string;
  email?: string;
  /** Default: no password. */
  password?: string;
  disabled?: boolean;
  selfPayFee?: string | null;
  /** Has signed in by a provider. */
  isExternal?: boolean;
}

export interface BuiltUser {
  userId: number;
  companyId: number | null;
  email: string;
}

/** Caches hashes, since hashing is slow and built users share a password. Servers may differ in the cost of a hash. */
const hashes = new WeakMap<Context['passwords'], Map<string, Promise<string>>>();
function hashOnce({ passwords }: Context, password: string): Promise<string> {
  const own = hashes.get(passwords) ?? new Map<string, Promise<string>>();
  hashes.set(passwords, own);
  const known = own.get(password) ?? passwords.hash(password, 'known');
  own.set(password, known);
  return known;
}

/** With `companyId` null the user is a Super. */
export async function buildUser(context: Context, values: UserValues = {}): Promise<BuiltUser> {
  const isSuper = values.companyId === null;
  const companyId = isSuper ? null : (values.companyId ?? (await buildCompany(context)).companyId);
  const email = values.email ?? `user-${newUid().slice(0, 12)}@example.test`;
  const password_hash = values.password === undefined ? null : await hashOnce(context, values.password);
  const names = { firstName: values.firstName ?? 'Dana', lastName: values.lastName ?? 'Doctor', email };
  const row = await context.db.open({ kind: 'super' }, (tx) =>
    tx
      .insertInto('users')
      .values({
        company_id: companyId,
        is_super: isSuper,
        role_id: isSuper ? 'A' : (values.role ?? 'D'),
        first_name: names.firstName,
        last_name: names.lastName,
        email,
        search: searchTextOf(names),
        password_hash,
        disabled: values.disabled ?? false,
        self_pay_fee: values.selfPayFee ?? null,
        ...(values.isExternal && { external_provider: 'https://login.example.test', external_id: email }),
        created_at: isoNow(context.clock),
      })
      .returning('user_id')
      .executeTakeFirstOrThrow(),
  );
  return { userId: row.user_id, companyId, email };
}

export interface PatientValues {
  companyId?: number;
  firstName?: string;
  lastName?: string;
  birthDate?: string;
  email?: string;
  /** Ten digits each. */
  phones?: string[];
  externalId?: string;
  createdAt?: string;
  /** False: booked by link, not verified yet. */
  verified?: boolean;
}

export async function buildPatient(
  context: Context,
  values: PatientValues = {},
): Promise<{ patientId: number; companyId: number }> {
  const companyId = values.companyId ?? (await buildCompany(context)).companyId;
  const patientId = await context.db.open({ kind: 'job', companyId }, (tx) =>
    insertPatient(tx, {
      companyId,
      firstName: values.firstName ?? 'Pat',
      lastName: values.lastName ?? 'Patient',
      birthDate: values.birthDate ?? '1980-05-17',
      email: values.email ?? 'pat@example.test',
      externalId: values.externalId ?? '',
      phones: values.phones ?? [],
      anonymous: false,
      verified: values.verified ?? true,
      now: values.createdAt ?? isoNow(context.clock),
    }),
  );
  return { patientId, companyId };
}

export interface AppointmentValues {
  companyId?: number;
  patientId?: number;
  doctorId?: number;
  /** ISO 8601; default: now. */
  startDate?: string;
  minutes?: number;
  fee?: string;
  collected?: string;
  cancelled?: boolean;
  cancellationNotes?: string;
  notes?: string;
  welcomeMessage?: string;
  overbooked?: boolean;
  /** The visit; instants as ISO 8601, durations in seconds. */
  visit?: {
    arrivedAt?: string;
    patientPresent?: string | null;
    providerPresent?: string | null;
    providerCame?: boolean;
    duration?: number;
    waited?: number;
    endedAt?: string | null;
  };
}

export interface BuiltAppointment {
  appointmentId: number;
  appointmentUid: string;
  accessCode: string;
  companyId: number;
  patientId: number;
  doctorId: number;
}

export async function buildAppointment(context: Context, values: AppointmentValues = {}): Promise<BuiltAppointment> {
  const companyId = values.companyId ?? (await buildCompany(context)).companyId;
  const patientId = values.patientId ?? (await buildPatient(context, { companyId })).patientId;
  const doctorId = values.doctorId ?? (await buildUser(context, { companyId })).userId;
  const appointmentUid = newUid();
  const accessCode = createAccessCode();
  const now = isoNow(context.clock);
  const startsAt = new Date(values.startDate ?? now).toISOString();
  const endsAt = new Date(Date.parse(startsAt) + (values.minutes ?? 15) * 60_000).toISOString();
  const appointmentId = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const seal = (text: string | undefined, place: string) =>
      sealText(tx, context.keys, { companyId, now }, text ?? '', place);
    const { appointment_id } = await tx
      .insertInto('appointments')
      .values({
        company_id: companyId,
        appointment_uid: appointmentUid,
        patient_id: patientId,
        doctor_id: doctorId,
        starts_at: startsAt,
        ends_at: endsAt,
        fee: values.fee ?? '0',
        cancelled: values.cancelled ?? false,
        cancelled_at: values.cancelled ? now : null,
        cancellation_notes: await seal(values.cancellationNotes, sealedPlaces.cancellationNotes(appointmentUid)),
        notes: await seal(values.notes, sealedPlaces.notes(appointmentUid)),
        welcome_message: values.welcomeMessage ?? '',
        overbooked: values.overbooked ?? false,
        created_at: now,
        ...(await storedCode(tx, context.keys, accessCode, { companyId, appointmentUid, now })),
      })
      .returning('appointment_id')
      .executeTakeFirstOrThrow();
    const { visit } = values;
    if (visit) {
      await tx
        .insertInto('visits')
        .values({
          appointment_id,
          company_id: companyId,
          patient_id: patientId,
          doctor_id: doctorId,
          patient_present_at: visit.patientPresent ?? null,
          provider_present_at: visit.providerPresent ?? null,
          first_arrived_at: visit.arrivedAt ?? visit.patientPresent ?? null,
          announced_at: visit.patientPresent ?? null,
          provider_came: visit.providerCame ?? Boolean(visit.duration || visit.providerPresent),
          duration: visit.duration ?? 0,
          waited: visit.waited ?? 0,
          ended_at: visit.endedAt ?? null,
          closed: Boolean(visit.endedAt),
        })
        .execute();
      const { patientPresent, providerPresent } = visit;
      const inRoom = { company_id: companyId, appointment_id, patient_id: patientId };
      if (patientPresent) await insertPeer(tx, { ...inRoom, role_id: 'P', joined_at: patientPresent });
      if (providerPresent) {
        await insertPeer(tx, { ...inRoom, role_id: 'D', user_id: doctorId, joined_at: providerPresent });
      }
    }
    if (values.collected && toCents(values.collected) > 0) {
      await tx
        .insertInto('ledger')
        .values({
          company_id: companyId,
          appointment_id,
          patient_id: patientId,
          kind: 'manual',
          amount: values.collected,
          occurred_at: now,
        })
        .execute();
    }
    return appointment_id;
  });
  return { appointmentId, appointmentUid, accessCode, companyId, patientId, doctorId };
}

/** Inserts a peer who is in a room, on an instance whose heartbeat does not end. */
async function insertPeer(
  tx: Tx,
  peer: {
    company_id: number;
    appointment_id: number;
    patient_id: number;
    role_id: 'P' | 'D';
    user_id?: number;
    joined_at: string;
  },
): Promise<void> {
  const instance_id = `built-${peer.appointment_id}`;
  await tx
    .insertInto('instances')
    .values({ instance_id, started_at: peer.joined_at, heartbeat_at: '2099-01-01T00:00:00Z' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const peer_id = `${peer.role_id}_${peer.user_id ?? peer.patient_id}_built`;
  await tx
    .insertInto('peers')
    .values({ ...peer, peer_id, connection_id: 'built', instance_id })
    .execute();
}

export interface RuleValues
  extends Partial<Omit<RuleBody, 'ruleId' | 'version' | 'apptRulesTimes' | 'apptRulesPhysicians'>> {
  companyId: number;
  doctorIds: readonly number[];
  /** Pairs of wall times; default: 09:00 to 12:00. */
  times?: readonly (readonly [start: string, end: string])[];
}

/** By default the rule is valid every day from 2020. */
export async function buildRule(context: Context, values: RuleValues): Promise<number> {
  const { companyId, doctorIds, times = [['09:00', '12:00']], ...rest } = values;
  const body: RuleBody = {
    ruleId: 0,
    version: 0,
    description: 'Office hours',
    disabled: false,
    ...blankRecurrence('2020-01-01'),
    ruleType: 'D',
    ...rest,
    apptRulesTimes: times.map(([startTime, endTime]) => ({ startTime, endTime })),
    apptRulesPhysicians: doctorIds.map((physicianId) => ({ physicianId })),
  };
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const { rule_id } = await tx
      .insertInto('scheduling_rules')
      .values({ ...ruleColumnsOf(body), company_id: companyId, created_at: isoNow(context.clock) })
      .returning('rule_id')
      .executeTakeFirstOrThrow();
    await writeParts(tx, companyId, rule_id, body);
    return rule_id;
  });
}

export interface TimeOffValues {
  companyId: number;
  /** Default: the whole company. */
  userId?: number;
  firstDay: string;
  lastDay: string;
  reason?: string;
}

export async function buildTimeOff(context: Context, values: TimeOffValues): Promise<number> {
  return context.db.open({ kind: 'job', companyId: values.companyId }, async (tx) => {
    const row = await tx
      .insertInto('time_off')
      .values({
        company_id: values.companyId,
        user_id: values.userId ?? null,
        first_day: values.firstDay,
        last_day: values.lastDay,
        reason: values.reason ?? '',
        created_at: isoNow(context.clock),
      })
      .returning('time_off_id')
      .executeTakeFirstOrThrow();
    return row.time_off_id;
  });
}

export async function buildBookingRequest(
  context: Context,
  values: { companyId: number; patientId: number; doctorId?: number; wish?: string },
): Promise<number> {
  return context.db.open({ kind: 'job', companyId: values.companyId }, async (tx) => {
    const row = await tx
      .insertInto('booking_requests')
      .values({
        company_id: values.companyId,
        patient_id: values.patientId,
        doctor_id: values.doctorId ?? null,
        wish: values.wish ?? 'Any evening would do.',
        created_at: isoNow(context.clock),
      })
      .returning('request_id')
      .executeTakeFirstOrThrow();
    return row.request_id;
  });
}

/** Creates a brand on whose pages people may sign up. */
export async function allowSignUp(context: Context, hosts: readonly string[]): Promise<void> {
  await context.db.open({ kind: 'super' }, async (tx) => {
    const { brand_id } = await tx
      .insertInto('brands')
      .values({ brand_name: 'Roomside', strict_mode: false, created_at: isoNow(context.clock) })
      .returning('brand_id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('brand_hosts')
      .values(hosts.map((host) => ({ host, brand_id })))
      .execute();
  });
}

/** Returns whether there are no users. */
export async function isEmptyInstallation(context: Context): Promise<boolean> {
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ empty: boolean }>`select installation_is_empty() as empty`.execute(tx);
    return rows[0]?.empty === true;
  });
}
