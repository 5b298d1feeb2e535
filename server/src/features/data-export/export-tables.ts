import type { DB } from '../../platform/database/schema.ts';

/** How a table is exported: one CSV file with these columns, in this order. Columns that are not named stay here. */
interface ExportedTable<T extends keyof DB> {
  /** What a row is, for the README. */
  readonly about: string;
  /** The meaning of each exported column, for the README. Sealed columns are exported as plain texts. */
  readonly columns: { readonly [Column in keyof DB[T] & string]?: string };
  /** Columns that are not exported: the company, secrets, and what only this software uses. */
  readonly withheld: readonly (keyof DB[T] & string)[];
  /** The rows that have content in a blob: the key, the column with its uid, and the folder of the archive. */
  readonly blob?: {
    readonly key: keyof DB[T] & string;
    readonly uid: keyof DB[T] & string;
    readonly folder: 'files' | 'photos' | 'recordings';
  };
}

type ExportedTables = { readonly [T in keyof DB]?: ExportedTable<T> };

const appointment_id = 'Number of the appointment.';
const patient_id = 'Number of the patient.';
const times = { created_at: 'When it was created.', created_by: 'Number of the user who created it.' };
const archived_at = 'When it was deleted; empty = not deleted.';
const by_user_id = 'Number of the user who did it; empty = the patient, or the system.';
const guest_id = 'Number of the guest; empty = no guest.';
const user_id = 'Number of the user.';
const doctor_id = 'Number of the provider (users.csv).';
const uploaded_at = 'When it was stored.';
const size = 'Size of the content, bytes.';
const peer_id = 'The person and the device in the room.';

/**
 * Every table of a company. A column is exported only when it is named here, so that a new one does not leave by mistake; the test
 * fails for a table or a column that is neither exported nor withheld.
 */
export const exportedTables = {
  companies: {
    about: 'The clinic and its settings.',
    columns: {
      company_id: 'Number of the clinic.',
      company_name: 'Name.',
      time_zone: 'Time zone of the clinic.',
      currency: 'Currency of all amounts.',
      remind_before_min: 'Patients are reminded this many minutes before the start.',
      provider_count: 'How many providers the license covers.',
      expiration_date: 'The license is valid until the day before.',
      start_hour: 'First hour of the calendar.',
      end_hour: 'Last hour of the calendar.',
      duration: 'Default length of a visit, minutes.',
      slot: 'Minutes between start times.',
      visit_limit: 'Minutes after which the timer turns red; 0 = never.',
      self_pay_fee: 'Default fee.',
      notify_users_min: 'Minutes of waiting after which staff are alerted; 0 = never.',
      support_email: 'Email for support.',
      sms_phone: 'Sender of text messages.',
      generic_schedule: 'Whether patients can book by link.',
      allow_req: 'Whether patients can request a time.',
      allow_recording: 'Whether visits may be recorded.',
      notify_providers: 'Whether providers are notified of arrivals.',
      front_end_url: 'Base of the links in messages.',
      payment_processor: 'Payment processor.',
      payment_user: 'Public key at the payment processor.',
      refund_rule: 'What patients get who cancel a paid appointment in time: automatic, manual or never.',
      disabled: 'Whether the clinic is disabled.',
      created_at: times.created_at,
      notice_hours: 'Patients can move or cancel up to this many hours before the start.',
      confirm_bookings: 'Whether bookings by link need a code.',
      second_factor_from: 'The day from which users need a second factor; empty = they do not.',
      first_steps_dismissed_at: 'When the first steps were dismissed.',
      booking_link_used_at: 'When the booking link was first used by staff.',
      keep_chats_months: 'Months that chats are kept; empty = for ever.',
      keep_files_months: 'Months that files and photos are kept; empty = for ever.',
      keep_recordings_months: 'Months that recordings are kept; empty = for ever.',
    },
    withheld: ['company_uid', 'version', 'payment_password', 'payment_webhook'],
  },
  users: {
    about: 'People who work at the clinic.',
    columns: {
      user_id,
      role_id: 'A = administrator, D = doctor, U = user.',
      first_name: 'First name.',
      last_name: 'Last name.',
      email: 'Email.',
      phone: 'Phone.',
      npi: 'National Provider Identifier.',
      self_pay_fee: 'The provider’s own fee; empty = the clinic’s.',
      notification_type: '0 = none, 1 = email, 2 = text message, 3 = both.',
      disabled: 'Whether the user cannot sign in.',
      created_at: times.created_at,
      invited_at: 'When a link for the first password was last sent.',
      uses_rules: 'Whether scheduling rules open this provider’s time.',
    },
    withheld: ['company_id', 'is_super', 'password_hash', 'external_provider', 'external_id', 'search', 'version'],
  },
  user_notify_for: {
    about: 'Which users are notified of which providers’ arrivals.',
    columns: { user_id, doctor_id },
    withheld: ['company_id'],
  },
  patients: {
    about: 'Patients.',
    columns: {
      patient_id,
      first_name: 'First name.',
      last_name: 'Last name.',
      birth_date: 'Date of birth.',
      email: 'Email.',
      external_id: 'Number of the patient in another system.',
      anonymous: 'Whether the name is not a real one.',
      is_test: 'Whether it is an administrator who tried a visit.',
      verified: 'Whether staff have confirmed the record.',
      created_at: times.created_at,
      archived_at,
      merged_into: 'Number of the patient that this one was merged into.',
    },
    withheld: ['company_id', 'search', 'version'],
  },
  patient_phones: {
    about: 'Phone numbers of patients.',
    columns: { patient_id, position: 'Order of the patient’s numbers.', phone: 'Phone.' },
    withheld: ['company_id'],
  },
  appointments: {
    about: 'Appointments.',
    columns: {
      appointment_id,
      appointment_uid: 'The appointment in links.',
      patient_id,
      doctor_id,
      starts_at: 'Start.',
      ends_at: 'End.',
      planned_start: 'The start before the visit began at another time.',
      cancelled: 'Whether it was cancelled.',
      cancelled_at: 'When it was cancelled.',
      cancellation_notes: 'Notes about the cancellation.',
      fee: 'Fee.',
      collected: 'What was collected.',
      external_transaction: 'Number of the payment in another system.',
      external_id: 'Number of the appointment in another system.',
      welcome_message: 'What the patient sees while waiting.',
      notes: 'Notes of the visit.',
      overbooked: 'Whether it was booked over another one on purpose.',
      immediate: 'Whether it began immediately.',
      created_by: times.created_by,
      created_at: times.created_at,
      archived_at,
      start_set_at: 'When the present start was set; empty = at creation.',
    },
    withheld: [
      ...(['company_id', 'code_hash', 'code_cipher', 'pre_merge_code', 'version'] as const),
      ...(['notes_version', 'calendar_sequence'] as const),
    ],
  },
  visits: {
    about: 'What happened at an appointment.',
    columns: {
      appointment_id,
      patient_id,
      doctor_id,
      patient_present_at: 'Since when the patient is in the room; empty = is not.',
      provider_present_at: 'Since when a provider is in the room; empty = is not.',
      first_arrived_at: 'When the patient first arrived.',
      announced_at: 'When the arrival was announced to staff.',
      no_camera: 'Whether the patient came without a camera.',
      provider_came: 'Whether a provider came.',
      duration: 'Seconds that patient and provider were together.',
      waited: 'Seconds that the patient waited.',
      ended_at: 'When the visit ended.',
      closed: 'Whether staff ended it.',
      recorded: 'Whether a recording was made.',
      held: 'Whether the patient is on hold.',
      expected_at: 'When the waiting patient can expect the provider.',
    },
    withheld: ['company_id', 'starts_at'],
  },
  device_checks: {
    about: 'What the check of a patient’s device found.',
    columns: {
      appointment_id,
      patient_id,
      checked_at: 'When.',
      camera: 'Camera.',
      microphone: 'Microphone.',
      speaker: 'Speaker.',
      connection: 'Connection.',
    },
    withheld: ['company_id'],
  },
  ledger: {
    about: 'Payments and corrections; their sum is what was collected.',
    columns: {
      ledger_id: 'Number of the entry.',
      appointment_id,
      patient_id,
      kind: 'manual, charge, refund or promo.',
      amount: 'Amount; negative = refund or correction.',
      charge_id: 'The payment by card; empty = another way.',
      by_user_id,
      occurred_at: 'When.',
    },
    withheld: ['company_id', 'attempt_key'],
  },
  charges: {
    about: 'Payments by card.',
    columns: {
      charge_id: 'Number of the charge.',
      purpose: 'appointment or license.',
      appointment_id,
      patient_id,
      attempt: 'Which attempt of the appointment it is.',
      processor: 'Payment processor; none = a promo code covered everything.',
      amount: 'Amount.',
      currency: 'Currency.',
      promo_id: 'Promo code.',
      discount: 'What the promo code took off.',
      state: 'created, asked, action, paid, failed, refunding, refunded or disputed.',
      external_id: 'Number at the payment processor.',
      failure: 'Why the card was not charged.',
      card_brand: 'Brand of the card.',
      card_last4: 'Last four digits of the card.',
      created_at: 'When it began.',
      asked_at: 'When the processor was asked last.',
      settled_at: 'When it ended.',
      refund_reason: 'Why it was refunded.',
      refunded_by: 'Who refunded it; empty = the clinic’s rule.',
      refund_asked_at: 'When the refund was asked for.',
      refunded_at: 'When it was refunded.',
    },
    withheld: ['company_id', 'charge_key', 'account', 'method', 'action_token'],
  },
  peers: {
    about: 'Who was in the room of a visit, and when.',
    columns: {
      attendance_id: 'Number of the attendance.',
      appointment_id,
      patient_id,
      peer_id,
      role_id: 'A, D, U = staff, P = patient, G = guest.',
      user_id,
      guest_id,
      ready: 'Whether the person joined the call.',
      joined_at: 'When the person came.',
      left_at: 'When the person left.',
    },
    withheld: ['company_id', 'connection_id', 'instance_id'],
  },
  visit_quality: {
    about: 'How sound and video arrived at one page of a visit.',
    columns: {
      appointment_id,
      patient_id,
      peer_id,
      page: 'The load of the page.',
      role_id: 'A, D, U = staff, P = patient, G = guest.',
      updated_at: 'When it was last measured.',
      loss_average: 'Lost packets, 0 to 1, average.',
      loss_worst: 'Lost packets, worst.',
      concealed_average: 'Replaced sound, 0 to 1, average.',
      concealed_worst: 'Replaced sound, worst.',
      rtt_average_ms: 'Round trip, ms, average.',
      rtt_worst_ms: 'Round trip, worst.',
      jitter_average_ms: 'Jitter, ms, average.',
      jitter_worst_ms: 'Jitter, worst.',
      freezes: 'Times that the picture froze.',
      relayed: 'Whether a relay was between the devices.',
      interruptions: 'Interruptions.',
      restarts: 'Restarts of the connection.',
      good_seconds: 'Seconds of good quality.',
      fair_seconds: 'Seconds of fair quality.',
      poor_seconds: 'Seconds of poor quality.',
    },
    withheld: ['company_id'],
  },
  chat_messages: {
    about: 'Chat messages.',
    columns: {
      message_id: 'Number of the message.',
      appointment_id,
      patient_id,
      user_id: 'Number of the user who wrote it; empty = the patient or a guest.',
      guest_id,
      author: 'Who wrote it: P_ and a patient’s number, G_ and a guest’s, otherwise role and user.',
      payload: 'The message.',
      occurred_at: 'When.',
    },
    withheld: ['company_id', 'key'],
  },
  visit_guests: {
    about: 'People who were invited to one visit.',
    columns: {
      guest_id,
      appointment_id,
      patient_id,
      guest_uid: 'The guest in the software.',
      name: 'Name.',
      role: 'family, interpreter, colleague or other.',
      contact: 'Email or phone to which the link was sent.',
      sent_at: 'When the link was last sent.',
      sends: 'How often it was sent.',
      visit_day: 'The day of the visit.',
      expires_at: 'When the invitation ends.',
      by_user_id,
      invited_at: 'When the guest was invited.',
      joined_at: 'When the guest first joined.',
      removed_at: 'When staff removed the guest.',
      ended_at: 'When the visit was over, cancelled or moved.',
    },
    withheld: ['company_id', 'link_hash', 'link_cipher'],
  },
  files: {
    about: 'Files of appointments. Their content is in the folder files.',
    columns: {
      file_id: 'Number of the file.',
      appointment_id,
      patient_id,
      file_uid: 'The file in the software.',
      name: 'Name of the file.',
      media_type: 'Type of the content.',
      size,
      by_user_id,
      uploaded_at,
      shared_at: 'Since when the patient sees it; empty = staff only.',
      downloaded_at: 'When the patient first downloaded it.',
    },
    withheld: ['company_id', 'content_hash'],
    blob: { key: 'file_id', uid: 'file_uid', folder: 'files' },
  },
  photos: {
    about: 'Photos of patients. Their content is in the folder photos.',
    columns: {
      file_id: 'Number of the photo.',
      appointment_id,
      patient_id,
      file_uid: 'The photo in the software.',
      size,
      by_user_id,
      uploaded_at,
    },
    withheld: ['company_id', 'request_key', 'content_hash'],
    blob: { key: 'file_id', uid: 'file_uid', folder: 'photos' },
  },
  recording_runs: {
    about: 'Recordings of visits, from the question to the stop.',
    columns: {
      run_id: 'Number of the run.',
      appointment_id,
      patient_id,
      by_user_id: 'Number of the user who asked.',
      peer_id: 'The device that recorded.',
      asked_at: 'When it was asked.',
      started_at: 'When everyone had allowed it.',
      stopped_at: 'When it was stopped.',
    },
    withheld: ['company_id'],
  },
  recording_consents: {
    about: 'What the people in the room answered to the question whether the visit may be recorded.',
    columns: {
      consent_id: 'Number of the answer.',
      appointment_id,
      patient_id,
      run_id: 'Number of the run.',
      peer_id,
      user_id: 'Number of the user; empty = the patient or a guest.',
      guest_id,
      allowed: 'The answer.',
      answered_at: 'When.',
    },
    withheld: ['company_id', 'stream_id'],
  },
  recordings: {
    about: 'The track of one person of a recorded visit.',
    columns: {
      recording_id: 'Number of the track.',
      appointment_id,
      patient_id,
      peer_id,
      user_id: 'Number of the user; empty = the patient or a guest.',
      guest_id,
      created_at: times.created_at,
    },
    withheld: ['company_id'],
  },
  recording_blobs: {
    about: 'Segments of recordings, each of which plays alone. Their content is in the folder recordings.',
    columns: {
      blob_uid: 'The segment in the software.',
      appointment_id,
      patient_id,
      recording_id: 'Number of the track.',
      started_at: 'When the segment begins.',
      stopped_at: 'When it ends.',
      media_type: 'Type of the content.',
      size,
      by_user_id,
      uploaded_at,
    },
    withheld: ['company_id', 'serial', 'content_hash'],
    blob: { key: 'blob_uid', uid: 'blob_uid', folder: 'recordings' },
  },
  notification_logs: {
    about: 'Messages to patients and users.',
    columns: {
      notification_id: 'Number of the message.',
      appointment_id,
      patient_id,
      to_user_id: 'Number of the user it was sent to; empty = to the patient.',
      kind: 'What it was about.',
      method: 'email or text.',
      due_at: 'When it was due.',
      state: 'queued, sent, failed or dropped.',
      error: 'Why it failed.',
      sent_at: 'When it was sent.',
      by_user_id,
      created_at: times.created_at,
      held_until: 'Not sent before.',
      known_starts_at: 'The start that the patient knew of.',
      known_doctor_id: 'The provider that the patient knew of.',
    },
    withheld: ['company_id', 'claimed_until'],
  },
  booking_requests: {
    about: 'Requests of patients who found no time.',
    columns: {
      request_id: 'Number of the request.',
      patient_id,
      doctor_id,
      wish: 'What the patient wrote.',
      created_at: times.created_at,
      closed_at: 'When it was closed.',
      closed_by: 'Number of the user who closed it.',
    },
    withheld: ['company_id'],
  },
  promo_codes: {
    about: 'Promo codes for what patients pay.',
    columns: {
      promo_id: 'Number of the code.',
      code: 'The code.',
      discount_rate: 'Discount, percent.',
      expiration_date: 'Last day of use; empty = no end.',
      max_uses: 'How often it can be used; empty = no limit.',
      uses: 'How often it was used.',
      disabled: 'Whether it is switched off.',
      created_at: times.created_at,
      archived_at,
    },
    withheld: ['company_id', 'version'],
  },
  scheduling_rules: {
    about: 'Rules for the times of providers.',
    columns: {
      rule_id: 'Number of the rule.',
      description: 'Name.',
      disabled: 'Whether it is switched off.',
      rule_type: 'S = once, D = daily, W = weekly, M = monthly.',
      active_start_date: 'First day.',
      active_end_date: 'Last day; empty = none.',
      daily_type: '1 = every so many days, 2 = weekdays.',
      every_n_day: 'Every so many days.',
      every_n_week: 'Every so many weeks.',
      every_n_month: 'Every so many months.',
      week_mask: 'Days of the week, a bit for each, Sunday first.',
      month_mask: 'Days of the month, a bit for each.',
      year_mask: 'Months of the year, a bit for each.',
      week_month_mask: 'Weeks of the month, a bit for each.',
      monthly_type1: 'How the months are chosen.',
      monthly_type2: 'How the days are chosen.',
      created_by: times.created_by,
      created_at: times.created_at,
      archived_at,
    },
    withheld: ['company_id', 'version'],
  },
  rule_times: {
    about: 'Times of day of scheduling rules.',
    columns: {
      rule_id: 'Number of the rule.',
      position: 'Order.',
      start_minute: 'Start, minutes since midnight.',
      end_minute: 'End, minutes since midnight.',
    },
    withheld: ['company_id'],
  },
  rule_providers: {
    about: 'Providers of scheduling rules.',
    columns: { rule_id: 'Number of the rule.', user_id },
    withheld: ['company_id'],
  },
  time_off: {
    about: 'Closures of the clinic and leave of providers.',
    columns: {
      time_off_id: 'Number of the entry.',
      user_id: 'Number of the provider; empty = the clinic is closed.',
      first_day: 'First day.',
      last_day: 'Last day.',
      reason: 'Reason.',
      created_by: times.created_by,
      created_at: times.created_at,
      archived_at,
    },
    withheld: ['company_id', 'version'],
  },
} as const satisfies ExportedTables;

/** {@link exportedTables}, as a list. */
export const listedExports = Object.entries(exportedTables) as unknown as readonly (readonly [
  table: string,
  entry: {
    readonly about: string;
    readonly columns: Readonly<Record<string, string>>;
    readonly withheld: readonly string[];
    readonly blob?: { readonly key: string; readonly uid: string; readonly folder: 'files' | 'photos' | 'recordings' };
  },
])[];

/** Tables with a company that are not exported as they are, and why. */
export const keptTables = {
  audit_log: 'in audit_log.csv, without what seals it',
  data_keys: 'keys',
  data_exports: 'this export and earlier ones',
  data_export_parts: 'the parts of archives',
  holds: 'times that were reserved during a booking, for a day',
  idempotency_keys: 'answers to repeated requests, for a day',
  sign_ins: 'sign-ins',
} as const;

/** The columns of the audit log's file. */
export const auditColumns = {
  audit_id: 'Number of the entry.',
  occurred_at: 'When.',
  actor: 'Role and number of the person; system = the software.',
  action: 'What was done.',
  objects: 'Numbers of what was read or changed, as JSON.',
  address: 'Network address of the person.',
} as const;
