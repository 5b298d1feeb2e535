import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../platform/database/schema.ts';

/** A condition on the row `r` of a table. */
type Condition = RawBuilder<SqlBool>;

/** What an erasure writes into a column: a value, or an expression. */
export type ErasedValue = string | Buffer | null | RawBuilder<number>;

/** How the rows of one table belong to a patient, and what each operation does with them. */
interface RecordTable<T extends keyof DB> {
  /** The column by which the rows of a patient, or of the patient's appointments, are found. It has an index. */
  readonly by: 'patient_id' | 'appointment_id';
  /**
   * What happens to `patient_id` when the patient is merged with another. `follows`: the foreign key to the appointment
   * changes it. `moves`: the function `merge_patient` changes it. `stays`: it keeps naming the merged patient.
   */
  readonly merge: 'follows' | 'moves' | 'stays';
  /** A patient with such a row cannot be deleted. */
  readonly keepsPatient?: (now: string) => Condition;
  /** An appointment with such a row cannot be deleted (LIST-20). Payments and durations are judged by `mayDelete`. */
  readonly keepsAppointment?: Condition;
  /** An appointment with such a row cannot get another patient. */
  readonly bindsPatient?: Condition;
  /** The columns that an export leaves out; `all` leaves out the table. Sealed columns are exported as plain texts. */
  readonly withheld: 'all' | readonly (keyof DB[T] & string)[];
  /** The column with the uid of a blob: exports copy the blob, and erasures delete it. */
  readonly blob?: keyof DB[T] & string;
  /** What an erasure writes into the rows, or whether it deletes or keeps them. What is kept has no words of the patient. */
  readonly erase: 'keep' | 'delete' | { readonly [Column in keyof DB[T]]?: ErasedValue };
}

const any = sql<SqlBool>`true`;
/** The bytes of an empty sealed text. */
const blank = Buffer.alloc(0);
/** Stands for an erased text that must not be empty. */
const erased = 'Erased';

type RecordTables = { readonly [T in keyof DB]?: RecordTable<T> };

/**
 * Every table with a patient or an appointment; the test fails for a table that is missing here. Merging, the refusal of
 * deletions, export and erasure follow this list.
 */
export const recordTables = {
  patients: {
    by: 'patient_id',
    merge: 'stays',
    withheld: ['company_id', 'search', 'version'],
    erase: {
      first_name: erased,
      last_name: erased,
      birth_date: null,
      email: '',
      external_id: '',
      search: '',
    },
  },
  patient_phones: { by: 'patient_id', merge: 'stays', withheld: ['company_id'], erase: 'delete' },
  appointments: {
    by: 'patient_id',
    merge: 'moves',
    keepsPatient: (now) => sql`r.archived_at is null and not r.cancelled and r.ends_at > ${now}`,
    keepsAppointment: sql`length(r.notes) > 0`,
    withheld: ['company_id', 'code_hash', 'code_cipher', 'pre_merge_code', 'version', 'notes_version'],
    // `external_transaction` belongs to the payment.
    erase: {
      notes: blank,
      cancellation_notes: blank,
      code_cipher: blank,
      welcome_message: '',
      external_id: '',
      // Notes and forms that are open on a page are not saved afterwards.
      version: sql<number>`version + 1`,
      notes_version: sql<number>`notes_version + 1`,
    },
  },
  visits: {
    by: 'appointment_id',
    merge: 'follows',
    keepsAppointment: sql`r.patient_present_at is not null`,
    bindsPatient: sql`r.first_arrived_at is not null`,
    withheld: ['company_id'],
    erase: 'keep',
  },
  device_checks: { by: 'appointment_id', merge: 'follows', withheld: ['company_id'], erase: 'delete' },
  // The processor's references belong to the payment; the card's words are a brand and four digits.
  charges: {
    by: 'appointment_id',
    merge: 'follows',
    keepsAppointment: any,
    bindsPatient: any,
    withheld: ['company_id', 'charge_key', 'method', 'action_token', 'account'],
    erase: { refund_reason: '' },
  },
  ledger: { by: 'appointment_id', merge: 'follows', bindsPatient: any, withheld: ['company_id'], erase: 'keep' },
  peers: {
    by: 'appointment_id',
    merge: 'follows',
    withheld: ['company_id', 'connection_id', 'instance_id'],
    erase: 'keep',
  },
  visit_quality: { by: 'appointment_id', merge: 'follows', withheld: ['company_id'], erase: 'keep' },
  chat_messages: {
    by: 'appointment_id',
    merge: 'follows',
    keepsAppointment: any,
    bindsPatient: any,
    withheld: ['company_id', 'key'],
    erase: { payload: blank },
  },
  // People whom staff invited to a visit.
  visit_guests: {
    by: 'appointment_id',
    merge: 'follows',
    withheld: ['company_id', 'link_hash', 'link_cipher', 'contact'],
    erase: { name: erased, link_cipher: blank, contact: blank },
  },
  files: {
    by: 'appointment_id',
    merge: 'follows',
    keepsAppointment: any,
    bindsPatient: any,
    withheld: ['company_id', 'content_hash'],
    blob: 'file_uid',
    erase: 'delete',
  },
  recording_runs: {
    by: 'appointment_id',
    merge: 'follows',
    bindsPatient: any,
    withheld: ['company_id'],
    erase: 'keep',
  },
  // Proof that a patient allowed a recording.
  recording_consents: {
    by: 'appointment_id',
    merge: 'follows',
    bindsPatient: any,
    withheld: ['company_id'],
    erase: 'keep',
  },
  recordings: {
    by: 'appointment_id',
    merge: 'follows',
    keepsAppointment: any,
    bindsPatient: any,
    withheld: ['company_id'],
    erase: 'delete',
  },
  recording_blobs: {
    by: 'appointment_id',
    merge: 'follows',
    withheld: ['company_id', 'content_hash'],
    blob: 'blob_uid',
    erase: 'delete',
  },
  photos: {
    by: 'patient_id',
    merge: 'follows',
    keepsAppointment: any,
    bindsPatient: any,
    withheld: ['company_id', 'content_hash', 'request_key'],
    blob: 'file_uid',
    erase: 'delete',
  },
  notification_logs: {
    by: 'appointment_id',
    merge: 'moves',
    withheld: ['company_id', 'error', 'claimed_until', 'refused_version'],
    erase: { error: '' },
  },
  booking_requests: { by: 'patient_id', merge: 'moves', withheld: ['company_id'], erase: { wish: erased } },
  // What an import can be undone to, for some days. An erased patient does not get earlier values back.
  import_changes: { by: 'patient_id', merge: 'stays', withheld: 'all', erase: 'delete' },
  // Deleted after a day. A repeat of the booking must show nothing of the patient that this one was merged with.
  holds: { by: 'patient_id', merge: 'stays', withheld: 'all', erase: { confirmation: null } },
  // End with the patient's row. They have no words of the patient.
  sign_ins: { by: 'patient_id', merge: 'stays', withheld: 'all', erase: 'keep' },
} as const satisfies RecordTables;

/** {@link recordTables}, as a list. */
export const listedTables = Object.entries(recordTables as RecordTables) as unknown as readonly (readonly [
  table: string,
  entry: RecordTable<never>,
])[];
