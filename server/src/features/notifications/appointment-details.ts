import { hasAddress } from '@roomside/contract/shape.ts';
import { type SqlBool, sql } from 'kysely';
import { openCodeOrNone, requiresProof } from '../../platform/access-code.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { pageAddress } from '../../platform/page-host.ts';
import type { Place } from './known-place.ts';

/** What messages and calendar entries need to know of an appointment. */
export interface AppointmentDetails {
  readonly appointmentId: number;
  readonly appointmentUid: string;
  readonly patientId: number;
  /** ISO. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly doctorId: number;
  readonly immediate: boolean;
  readonly cancelled: boolean;
  readonly isTest: boolean;
  readonly calendarSequence: number;
  /** '' when it cannot be decrypted; the link then contains no code. */
  readonly accessCode: string;
  /** APPT-3: the patient's link in messages. */
  readonly link: string;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly anonymous: boolean;
    /** False while name and contact come from an unverified booking. */
    readonly verified: boolean;
    readonly email: string;
    readonly phone: string;
  };
  readonly doctor: { readonly firstName: string; readonly lastName: string };
  /** Decimals. */
  readonly money: {
    readonly currency: string;
    /** What was paid without discounts, less refunds. */
    readonly paid: string;
    /** What the latest refund returns to the card. */
    readonly refunded: string;
    /** What was paid in another way and left the ledger with it: the clinic itself returns it. */
    readonly refundedByHand: string;
    /** The latest refund that did not reach the card. */
    readonly returned: string;
  };
  readonly company: {
    readonly name: string;
    /** With which links begin (`pageAddress`). */
    readonly address: string;
    readonly timeZone: string;
    readonly supportEmail: string;
    readonly disabled: boolean;
    readonly remindBeforeMin: number;
  };
}

/** The amounts of {@link AppointmentDetails} as they were at `at`. */
function moneyAt(at: string) {
  const ended = sql`c.appointment_id = a.appointment_id and c.state = 'refunded' and c.refunded_at <= ${at}::timestamptz`;
  // The latest request that has refunded charges: all of them, and the end of the last one. A refund that was made at the processor is its own.
  const latest = sql`(select coalesce(c.refund_asked_at, c.refunded_at) as asked_at, c.refunded_at from charges c where ${ended}
    order by c.refunded_at desc, c.charge_id desc limit 1) as latest`;
  return {
    paid: sql<string>`(select coalesce(sum(l.amount), 0)::numeric(10,2) from ledger l
      where l.appointment_id = a.appointment_id and l.kind <> 'promo' and l.occurred_at <= ${at}::timestamptz)`,
    refunded: sql<string>`(select coalesce(sum(c.amount), 0)::numeric(10,2) from charges c, ${latest}
      where ${ended} and coalesce(c.refund_asked_at, c.refunded_at) = latest.asked_at)`,
    refundedByHand: sql<string>`(select coalesce(sum(-l.amount), 0)::numeric(10,2) from ledger l, ${latest}
      where l.appointment_id = a.appointment_id and l.kind = 'refund' and l.charge_id is null
        and l.occurred_at = latest.refunded_at)`,
    returned: sql<string>`coalesce((select l.amount from ledger l where l.appointment_id = a.appointment_id and l.kind = 'refund'
      and l.amount > 0 and l.occurred_at <= ${at}::timestamptz order by l.occurred_at desc, l.ledger_id desc limit 1), 0)::numeric(10,2)`,
  };
}

const isCancelled = sql`(a.cancelled or a.archived_at is not null)`;

type Appointment = { readonly id: number } | { readonly uid: string };

interface ReadOptions {
  readonly deleted?: boolean;
  readonly sent?: 'email' | 'text';
  readonly cancelledAs?: Place | undefined;
  readonly at?: string;
}

/**
 * Returns the current appointment within the transaction's rights, or null when there is none.
 *
 * @param deleted also returns a deleted appointment, as cancelled; without it, null
 * @param sent the method of the message in which link and code are sent: using them proves that the patient owns this
 *   email or phone
 * @param cancelledAs a cancelled appointment has this start and provider, and its length
 * @param at the amounts are those of this moment, ISO: a receipt that is sent late says what was paid, not what became of it
 */
export async function readAppointment(
  tx: Tx,
  context: Pick<Context, 'keys' | 'log' | 'publicUrl'>,
  which: Appointment,
  { deleted = false, sent, cancelledAs, at = 'infinity' }: ReadOptions = {},
): Promise<AppointmentDetails | null> {
  const money = moneyAt(at);
  const startsAt = cancelledAs
    ? sql<string>`case when ${isCancelled} then ${cancelledAs.startsAt}::timestamptz else a.starts_at end`
    : sql<string>`a.starts_at`;
  const doctorId = cancelledAs
    ? sql`case when ${isCancelled} then ${cancelledAs.doctorId}::bigint else a.doctor_id end`
    : sql`a.doctor_id`;
  const row = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .leftJoin('patient_phones as f', (join) => join.onRef('f.patient_id', '=', 'p.patient_id').on('f.position', '=', 0))
    .innerJoin('users as d', (join) => join.on(sql<SqlBool>`d.user_id = ${doctorId}`))
    .innerJoin('companies as c', 'c.company_id', 'a.company_id')
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.company_id',
      'a.patient_id',
      startsAt.as('starts_at'),
      sql<string>`${startsAt} + (a.ends_at - a.starts_at)`.as('ends_at'),
      'd.user_id as doctor_id',
      'a.immediate',
      'a.cancelled',
      'a.archived_at',
      'a.calendar_sequence',
      'a.code_cipher',
      'p.first_name as patient_first',
      'p.last_name as patient_last',
      'p.anonymous',
      'p.verified',
      'p.is_test',
      'p.email',
      'f.phone',
      'd.first_name as doctor_first',
      'd.last_name as doctor_last',
      'c.company_name',
      'c.time_zone',
      'c.support_email',
      'c.front_end_url',
      'c.disabled',
      'c.remind_before_min',
      'c.currency',
      money.paid.as('paid'),
      money.refunded.as('refunded'),
      money.refundedByHand.as('refunded_by_hand'),
      money.returned.as('returned'),
      requiresProof.as('requires_proof'),
    ])
    .$if(!deleted, (query) => query.where('a.archived_at', 'is', null))
    .$call((query) =>
      'id' in which ? query.where('a.appointment_id', '=', which.id) : query.where('a.appointment_uid', '=', which.uid),
    )
    .executeTakeFirst();
  if (!row) return null;
  const proof = sent !== undefined && !row.verified ? { requires_proof: true } : {};
  const contact = sent === 'email' ? { phone: null } : sent === 'text' ? { email: '' } : {};
  const accessCode = await openCodeOrNone(tx, context, row.company_id, { ...row, ...proof, ...contact });
  const address = pageAddress(context, row.front_end_url);
  return {
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    patientId: row.patient_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    doctorId: row.doctor_id,
    immediate: row.immediate,
    cancelled: row.cancelled || row.archived_at !== null,
    isTest: row.is_test,
    calendarSequence: row.calendar_sequence,
    accessCode,
    link: `${address}/#/link${accessCode && `/${accessCode}`}`,
    patient: {
      firstName: row.patient_first,
      lastName: row.patient_last,
      anonymous: row.anonymous,
      verified: row.verified,
      email: row.email,
      phone: row.phone ?? '',
    },
    doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
    money: {
      currency: row.currency,
      paid: row.paid,
      refunded: row.refunded,
      refundedByHand: row.refunded_by_hand,
      returned: row.returned,
    },
    company: {
      name: row.company_name,
      address,
      timeZone: row.time_zone,
      supportEmail: row.support_email,
      disabled: row.disabled,
      remindBeforeMin: row.remind_before_min,
    },
  };
}

/** The patient's name beside their address in a mail or calendar entry; '' for an anonymous or unverified patient, and for a name with an address. */
export const nameFor = ({ anonymous, verified, firstName, lastName }: AppointmentDetails['patient']): string =>
  anonymous || !verified || hasAddress(`${firstName} ${lastName}`) ? '' : `${firstName} ${lastName}`;
