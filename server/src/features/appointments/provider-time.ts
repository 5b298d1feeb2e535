import { bookAheadDays } from '@roomside/contract/limits.ts';
import { providers } from '@roomside/contract/permissions.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { RefusalReader } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { type Ignored, isInTheWay, readNextFree, takenTimes } from '../schedule/availability.ts';

/** A span of a provider's time to book; instants ISO. */
export interface Claim {
  readonly companyId: number;
  readonly timeZone: string;
  readonly doctorId: number;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly ignore: Ignored;
  readonly now: string;
  /** Only for staff: a refusal contains the conflicting appointment; `overbook` books over it. */
  readonly staff?: { readonly overbook: boolean };
}

/**
 * Locks the row of an enabled provider of the company.
 *
 * @throws Refusal `not-found`
 */
export async function lockProvider(tx: Tx, companyId: number, doctorId: number): Promise<void> {
  const [[provider]] = await inOneTrip(tx, lockedProvider({ companyId, doctorId }));
  if (!provider) throw notFound();
}

/** Locks users of a company, in the order of their ids; null = all. */
export async function lockUsers(tx: Tx, companyId: number, userIds: readonly number[] | null): Promise<void> {
  await sql`select from users where company_id = ${companyId} and (${userIds}::bigint[] is null or user_id = any(${userIds}::bigint[]))
    order by user_id for no key update`.execute(tx);
}

const lockedProvider = prepared((tx, { companyId, doctorId }: { companyId: number; doctorId: number }) =>
  tx
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', doctorId)
    .where('company_id', '=', companyId)
    .where('disabled', '=', false)
    .where('role_id', 'in', providers)
    .forNoKeyUpdate(),
);

/**
 * Locks the provider's row, which serializes the bookings of a provider, and checks that the span is free. The check is a
 * separate statement after the lock, so that it includes what the previous holder of the lock has booked.
 *
 * @returns `overbooked`: the span is taken and `overbook` is set; the caller stores it
 * @throws Refusal `not-found`; `slot-taken` with the next free starts, for staff also with the conflicting appointment
 */
export async function claimProviderTime(tx: Tx, claim: Claim): Promise<{ overbooked: boolean }> {
  const { companyId, doctorId, startsAt, endsAt, ignore, now } = claim;
  const [[provider], takenSpans] = await inOneTrip(
    tx,
    lockedProvider({ companyId, doctorId }),
    takenTimes({ doctors: [doctorId], since: startsAt, until: endsAt, now }),
  );
  if (!provider) throw notFound();
  const taken = takenSpans.find((span) => isInTheWay(span, ignore));
  if (!taken) return { overbooked: false };
  if (claim.staff?.overbook) return { overbooked: true };
  throw slotTaken(claim, taken.appointment_id);
}

/** A claim whose time is taken, and the appointment that has it; null = not known. */
interface TakenTime {
  readonly claim: Claim;
  readonly appointmentId: number | null;
}

/** Returns the refusal of a taken time; {@link describeTakenTime} reads its details. */
export function slotTaken(claim: Claim, appointmentId: number | null): Refusal {
  const about: TakenTime = { claim, appointmentId };
  return new Refusal('slot-taken', { about });
}

/** Reads the details of 'slot-taken': the next free starts, for staff also the conflicting appointment. */
export const describeTakenTime: RefusalReader = async (tx, about) => {
  const { claim, appointmentId } = about as TakenTime;
  const { companyId, timeZone, doctorId, startsAt, endsAt, ignore, now } = claim;
  const minutes = (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000;
  const free = await readNextFree(tx, companyId, doctorId, startsAt, { ignore, minutes, now, timeZone });
  const appointment = claim.staff && appointmentId !== null ? await describe(tx, appointmentId) : undefined;
  // Patients can book only the days that they are offered.
  const last = claim.staff ? undefined : addMinutes(now, bookAheadDays * 1440);
  const offered = last === undefined ? free : free.filter(({ startDate: at }) => at <= last);
  const current: TakenSlot = { ...(appointment && { appointment }), free: offered };
  return { current, objects: { ...(appointment && { appointmentId: appointment.appointmentId }) } };
};

async function describe(tx: Tx, appointmentId: number) {
  const row = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .select(['a.appointment_id', 'a.starts_at', 'a.ends_at', 'p.first_name', 'p.last_name'])
    .where('a.appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  return {
    appointmentId: row.appointment_id,
    startDate: row.starts_at,
    endDate: row.ends_at,
    patient: { firstName: row.first_name, lastName: row.last_name },
  };
}
