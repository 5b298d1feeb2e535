-- The tables, their row-level security and their rights. Runs as the owner; the application connects as the plain role
-- app_user. Every table with a company forces row-level security, so that a forgotten WHERE shows nothing of another
-- company. SQL never asks for the time: it gets it. The functions are in functions/, applied after the migrations.

-- For the search of patients, and for the overlap of a provider's appointments.
create extension if not exists pg_trgm;
create extension if not exists btree_gist;

-- Names in the order of language (decision 025), whatever collation the database was made with: Á beside A, "de la Cruz"
-- among the Ds, "O'Brien" beside "Obrien".
do $$
begin
  create collation name_order (provider = icu, locale = 'und-u-ka-shifted');
exception when feature_not_supported or undefined_object or invalid_parameter_value then
  raise exception 'Names are sorted with ICU, which this PostgreSQL (%) cannot use: %', current_setting('server_version'), sqlerrm
    using hint = 'Use a PostgreSQL that was built with ICU (the usual packages are) and a database with the encoding UTF8.';
end $$;

-- One sequence for the whole installation: an id says nothing about how many rows a company has.
create sequence ids as bigint start 1001;
grant usage on sequence ids to app_user;
grant usage on schema public to app_user, roomside_definer, roomside_auditor;

-- What a transaction was opened for. 'company' and 'job' see one company, 'patient' one patient of it, 'booking' a company
-- without its patients, 'super' the companies and their users, 'installation' the sealed keys and the audit chain,
-- 'unauthenticated' nothing but the tables of signing in.
create function app_kind() returns text language sql stable parallel safe
  return coalesce(current_setting('app.kind', true), '');
create function app_company() returns bigint language sql stable parallel safe
  return case when app_kind() in ('company', 'job', 'patient', 'booking') then nullif(current_setting('app.company', true), '')::bigint end;
-- Null for staff (no fence), the patient's id in a patient's transaction, -1 (no patient) if that is missing.
create function app_patient() returns bigint language sql stable parallel safe
  return case app_kind() when 'patient' then coalesce(nullif(current_setting('app.patient', true), '')::bigint, -1) when 'booking' then -1 end;
create function app_is(kind text) returns boolean language sql stable parallel safe
  return app_kind() = kind;

-- A table that only grows raises this on any change, the owner's included.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The table % only grows.', tg_table_name;
end $$;

-- Companies and users

create table companies (
  company_id bigint primary key default nextval('ids'),
  company_uid text not null unique check (company_uid ~ '^[0-9a-f]{32}$'),
  company_name text not null check (length(company_name) between 1 and 50),
  time_zone text not null,
  currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  remind_before_min int not null default 30 check (remind_before_min between 2 and 90),
  provider_count int not null default 1 check (provider_count between 0 and 9999),
  expiration_date date not null,
  start_hour int not null default 8 check (start_hour between 0 and 23),
  end_hour int not null default 17 check (end_hour between 1 and 24),
  duration int not null default 15 check (duration in (10, 15, 20, 30, 60)),
  slot int not null default 15 check (slot in (10, 15, 20, 30, 60)),
  visit_limit int not null default 0 check (visit_limit between 0 and 600),
  self_pay_fee numeric(10,2) not null default 0 check (self_pay_fee between 0 and 10000),
  notify_users_min int not null default 0 check (notify_users_min between 0 and 600),
  support_email text not null default '',
  sms_phone text not null default '',
  generic_schedule boolean not null default false,
  allow_req boolean not null default false,
  allow_recording boolean not null default false,
  notify_providers boolean not null default true,
  front_end_url text not null default '',
  payment_processor text,
  disabled boolean not null default false,
  version int not null default 0,
  created_at timestamptz not null,
  -- How long before the start patients may still move or cancel, hours.
  notice_hours int not null default 24 check (notice_hours between 0 and 720),
  -- Bookings by link are confirmed by a code that is sent to the contact.
  confirm_bookings boolean not null default false,
  check (end_hour > start_hour)
);

create table users (
  user_id bigint primary key default nextval('ids'),
  company_id bigint references companies,
  is_super boolean not null default false,
  role_id text not null check (role_id in ('A', 'D', 'U')),
  first_name text not null check (length(first_name) between 1 and 50),
  last_name text not null check (length(last_name) between 1 and 50),
  email text not null check (length(email) <= 100),
  phone text not null default '' check (phone = '' or phone ~ '^\+1[2-9][0-9]{2}[2-9][0-9]{6}$'),
  password_hash text,
  npi text not null default '' check (npi ~ '^([0-9]{10})?$'),
  self_pay_fee numeric(10,2),
  notification_type int not null default 1 check (notification_type between 0 and 3),
  external_provider text,
  external_id text,
  disabled boolean not null default false,
  version int not null default 0,
  created_at timestamptz not null,
  -- Was ever on a schedule rule: from then on only rules open this provider's time.
  uses_rules boolean not null default false,
  check (is_super = (company_id is null)),
  check (not is_super or role_id = 'A'),
  unique (company_id, user_id)
);
create unique index users_email on users (lower(email));
create unique index users_external on users (external_provider, external_id) where external_id is not null;
create index users_company on users (company_id, last_name collate name_order, first_name collate name_order, user_id);

-- The providers of whose arrivals a user is notified.
create table user_notify_for (
  company_id bigint not null,
  user_id bigint not null,
  doctor_id bigint not null,
  primary key (company_id, user_id, doctor_id),
  foreign key (company_id, user_id) references users (company_id, user_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id)
);
create index user_notify_for_doctor on user_notify_for (company_id, doctor_id);

create table brands (
  host text primary key,
  strict_mode boolean not null default false,
  providers jsonb not null default '[]'
);

-- Signing in

-- One row per sign-in (a family of refresh tokens). A token follows from the id, the counter and the seed by a key outside
-- the database, so that nothing here can be replayed.
create table sign_ins (
  sign_in_id bigint primary key default nextval('ids'),
  kind text not null check (kind in ('staff', 'patient')),
  company_id bigint,
  user_id bigint references users,
  patient_id bigint,
  appointment_id bigint,
  serial text not null,
  seed bytea not null,
  counter int not null default 0,
  remember boolean not null,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  active_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((kind = 'staff') = (user_id is not null)),
  check ((kind = 'patient') = (patient_id is not null and appointment_id is not null and company_id is not null))
);
-- The device serial is unique among a person's live sign-ins.
create unique index sign_ins_serial_user on sign_ins (user_id, serial) where revoked_at is null and user_id is not null;
create unique index sign_ins_serial_patient on sign_ins (patient_id, serial) where revoked_at is null and patient_id is not null;
create index sign_ins_appointment on sign_ins (appointment_id) where revoked_at is null;
create index sign_ins_patient on sign_ins (company_id, patient_id) where patient_id is not null;
-- When a sign-in ended, by whatever reason.
create index sign_ins_over on sign_ins (least(revoked_at, expires_at));

create table one_time_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('login', 'reset')),
  user_id bigint not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_user on one_time_tokens (user_id);
create index one_time_tokens_over on one_time_tokens (expires_at);

-- Attempts that slow down the next one, by what they are counted for (platform/throttle.ts).
create table sign_in_failures (
  failure_id bigint primary key default nextval('ids'),
  scope text not null check (scope in
    ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
     'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code')),
  subject bytea not null,
  failed_at timestamptz not null
);
create index sign_in_failures_subject on sign_in_failures (scope, subject, failed_at);
create index sign_in_failures_time on sign_in_failures (failed_at);

create table idempotency_keys (
  -- Null for administrators of the installation.
  company_id bigint references companies,
  actor text not null,
  key text not null check (length(key) between 8 and 100),
  call text not null,
  body_hash bytea not null,
  result jsonb,
  created_at timestamptz not null,
  unique nulls not distinct (company_id, actor, key)
);
create index idempotency_keys_over on idempotency_keys (created_at);

-- Patients and appointments. Parents are referenced by (company_id, id): a row never belongs to one company and its parent
-- to another.

create table patients (
  patient_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  first_name text not null check (length(first_name) between 1 and 50),
  last_name text not null check (length(last_name) between 1 and 50),
  birth_date date,
  email text not null default '' check (length(email) <= 100),
  external_id text not null default '' check (length(external_id) <= 50),
  anonymous boolean not null default false,
  verified boolean not null default true,
  version int not null default 0,
  created_at timestamptz not null,
  archived_at timestamptz,
  -- What the search looks through; lower case, one space between the words.
  search text not null default '',
  -- The patient that the records of an archived, merged patient went to.
  merged_into bigint,
  unique (company_id, patient_id),
  foreign key (company_id, merged_into) references patients (company_id, patient_id)
);
-- Of all patients: appointments are sorted by it, too.
create index patients_last_name
  on patients (company_id, last_name collate name_order, first_name collate name_order, patient_id);
create index patients_first_name
  on patients (company_id, first_name collate name_order, last_name collate name_order, patient_id) where archived_at is null;
create index patients_birth_date on patients (company_id, birth_date, patient_id) where archived_at is null;
create index patients_created on patients (company_id, created_at, patient_id) where archived_at is null;
create index patients_search on patients using gin (search gin_trgm_ops) where archived_at is null;
create index patients_merged on patients (company_id, merged_into) where merged_into is not null;
create index patients_unverified on patients (company_id, patient_id) where not verified and archived_at is null;

create table patient_phones (
  company_id bigint not null,
  patient_id bigint not null,
  position int not null,
  phone text not null check (phone ~ '^\+1[2-9][0-9]{2}[2-9][0-9]{6}$'),
  primary key (company_id, patient_id, position),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);

-- Notes, cancellation notes and the code are sealed by the company's key (platform/sealed-text.ts); '' is empty.
create table appointments (
  appointment_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_uid text not null unique check (appointment_uid ~ '^[0-9a-f]{32}$'),
  patient_id bigint not null,
  doctor_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  planned_start timestamptz,
  cancelled boolean not null default false,
  cancelled_at timestamptz,
  cancellation_notes bytea not null default '',
  fee numeric(10,2) not null default 0 check (fee >= 0),
  -- The sum of the ledger, kept by its trigger.
  collected numeric(10,2) not null default 0,
  external_transaction text not null default '',
  external_id text not null default '' check (length(external_id) <= 100),
  welcome_message text not null default '' check (length(welcome_message) <= 200),
  notes bytea not null default '',
  notes_version int not null default 0,
  code_hash bytea not null unique,
  code_cipher bytea not null,
  -- Booked over another one on purpose; and appointments that start now, which never conflict.
  overbooked boolean not null default false,
  immediate boolean not null default false,
  calendar_sequence int not null default 0,
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  -- When the present start was set, null = at creation: no reminder if that was nearer to the start than the reminder.
  start_set_at timestamptz,
  -- The code at the time of the merge with a known patient. It was shown to the person who booked, so that it opens nothing
  -- without the proof of a contact; any new code is free of that.
  pre_merge_code bytea,
  check (ends_at > starts_at),
  check (cancelled = (cancelled_at is not null)),
  unique (company_id, appointment_id),
  -- Its records name the patient too, by this key: another patient of the appointment becomes theirs (on update cascade).
  unique (company_id, appointment_id, patient_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, created_by) references users (company_id, user_id),
  constraint no_double_booking exclude using gist
    (doctor_id with =, tstzrange(starts_at, ends_at) with &&)
    where (not cancelled and archived_at is null and not overbooked and not immediate)
);
create index appointments_start on appointments (company_id, starts_at, appointment_id) where archived_at is null;
create index appointments_collected on appointments (company_id, collected, starts_at, appointment_id) where archived_at is null;
-- Last and next appointments of all patients.
create index appointments_held on appointments (company_id, patient_id, starts_at, appointment_id)
  where archived_at is null and not cancelled;
create index appointments_doctor on appointments (company_id, doctor_id, starts_at, appointment_id) where archived_at is null;
create index appointments_patient on appointments (company_id, patient_id, starts_at, appointment_id) where archived_at is null;
-- Everything of one patient is found by company and patient, archived or not: a merge must not read whole tables.
create index appointments_of_patient on appointments (company_id, patient_id);
create index appointments_upcoming on appointments (starts_at) where archived_at is null and not cancelled and not immediate;

-- What happened to an appointment; never makes its form stale.
create table visits (
  appointment_id bigint primary key,
  company_id bigint not null,
  patient_id bigint not null,
  doctor_id bigint not null,
  patient_present_at timestamptz,
  provider_present_at timestamptz,
  first_arrived_at timestamptz,
  -- The arrival that was announced to staff: once per arrival.
  announced_at timestamptz,
  no_camera boolean not null default false,
  provider_came boolean not null default false,
  duration int not null default 0,
  waited int not null default 0,
  ended_at timestamptz,
  -- Ended by staff, and no one of them has come back since: the patient's link shows that it is over.
  closed boolean not null default false,
  unique (company_id, appointment_id),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade
);
create index visits_waiting on visits (company_id, doctor_id) where patient_present_at is not null;
create index visits_occupied on visits (appointment_id) where patient_present_at is not null or provider_present_at is not null;
create index visits_unannounced on visits (patient_present_at) where announced_at is null and patient_present_at is not null;

-- The collected amount is the sum of this ledger. Amounts may be negative (refund, correction).
create table ledger (
  ledger_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  kind text not null check (kind in ('manual', 'charge', 'refund', 'promo')),
  amount numeric(10,2) not null,
  attempt_key text,
  by_user_id bigint,
  occurred_at timestamptz not null,
  unique (company_id, attempt_key),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade
);
create index ledger_appointment on ledger (appointment_id);

-- A restore, which has no kind, copies the sums with the appointments.
create function add_to_collected() returns trigger language plpgsql as $$
begin
  update appointments set collected = collected + new.amount where appointment_id = new.appointment_id;
  return null;
end $$;
create trigger collected after insert on ledger for each row when (app_kind() <> '') execute function add_to_collected();

-- Schedules

-- ENTITY-12; month_mask goes beyond 32 bits. Rules are archived, never deleted.
create table scheduling_rules (
  rule_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  description text not null check (length(description) between 1 and 100),
  disabled boolean not null default false,
  rule_type text not null check (rule_type in ('S', 'D', 'W', 'M')),
  active_start_date date not null,
  active_end_date date,
  daily_type int not null check (daily_type in (1, 2)),
  every_n_day int not null check (every_n_day between 0 and 365),
  every_n_week int not null check (every_n_week between 0 and 52),
  every_n_month int not null check (every_n_month between 0 and 12),
  week_mask int not null check (week_mask between 0 and 127),
  month_mask bigint not null check (month_mask between 0 and 8589934591),
  year_mask int not null check (year_mask between 0 and 4095),
  week_month_mask int not null check (week_month_mask between 0 and 63),
  monthly_type1 int not null check (monthly_type1 in (1, 2)),
  monthly_type2 int not null check (monthly_type2 in (1, 2)),
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  unique (company_id, rule_id),
  foreign key (company_id, created_by) references users (company_id, user_id)
);
create index scheduling_rules_company on scheduling_rules (company_id, rule_id) where archived_at is null;

-- Wall times of the company's day, minutes since midnight.
create table rule_times (
  company_id bigint not null,
  rule_id bigint not null,
  position int not null,
  start_minute int not null check (start_minute between 0 and 1439),
  end_minute int not null check (end_minute between 1 and 1440),
  primary key (company_id, rule_id, position),
  check (end_minute > start_minute),
  foreign key (company_id, rule_id) references scheduling_rules (company_id, rule_id)
);

create table rule_providers (
  company_id bigint not null,
  rule_id bigint not null,
  user_id bigint not null,
  primary key (company_id, rule_id, user_id),
  foreign key (company_id, rule_id) references scheduling_rules (company_id, rule_id),
  foreign key (company_id, user_id) references users (company_id, user_id)
);
create index rule_providers_user on rule_providers (company_id, user_id);

-- Closures of the company (user_id null) and leave of a provider; company days, both inclusive.
create table time_off (
  time_off_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  user_id bigint,
  first_day date not null,
  last_day date not null check (last_day >= first_day),
  reason text not null default '' check (length(reason) <= 200),
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  unique (company_id, time_off_id),
  foreign key (company_id, user_id) references users (company_id, user_id),
  foreign key (company_id, created_by) references users (company_id, user_id)
);
create index time_off_days on time_off (company_id, last_day) where archived_at is null;

-- Booking by link

-- A start reserved for a patient who is booking: one per browser, three per address. Once booked it names the appointment,
-- so that a repeat of the booking returns the same.
create table holds (
  hold_uid text primary key check (hold_uid ~ '^[0-9a-f]{32}$'),
  company_id bigint not null,
  doctor_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  expires_at timestamptz not null,
  -- The browser's random key and its address, hashed.
  holder bytea not null,
  address bytea not null,
  created_at timestamptz not null,
  appointment_id bigint,
  patient_id bigint,
  -- Where the code was sent and what it is, sealed by the company's key; null = none was asked for.
  confirmation bytea,
  -- Codes that were sent, and wrong ones typed since the last.
  codes_sent int not null default 0,
  wrong_codes int not null default 0,
  booked_at timestamptz,
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index holds_doctor on holds (company_id, doctor_id, starts_at) where appointment_id is null;
create index holds_address on holds (company_id, address, created_at);
create index holds_created on holds (created_at);
create index holds_patient on holds (company_id, patient_id) where patient_id is not null;
create index holds_booked on holds (address, booked_at) where booked_at is not null;

-- A patient asked for a time because none on offer fitted.
create table booking_requests (
  request_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  patient_id bigint not null,
  doctor_id bigint,
  wish text not null check (length(wish) between 1 and 500),
  created_at timestamptz not null,
  closed_at timestamptz,
  closed_by bigint,
  unique (company_id, request_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, closed_by) references users (company_id, user_id)
);
create index booking_requests_open on booking_requests (company_id, created_at) where closed_at is null;
create index booking_requests_patient on booking_requests (company_id, patient_id);

-- The room

create table instances (
  instance_id text primary key,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  ended_at timestamptz
);

-- One attendance of one peer. While left_at is null the peer is present as long as its instance's heartbeat goes on.
create table peers (
  attendance_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  peer_id text not null,
  role_id text not null check (role_id in ('A', 'D', 'U', 'P')),
  user_id bigint,
  connection_id text not null,
  instance_id text not null references instances,
  ready boolean not null default false,
  joined_at timestamptz not null,
  left_at timestamptz,
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade
);
create index peers_appointment on peers (appointment_id, joined_at);
create unique index peers_live on peers (appointment_id, peer_id) where left_at is null;
create index peers_instance on peers (instance_id) where left_at is null;
-- Deleting an instance looks for its peers.
create index peers_by_instance on peers (instance_id);

create table chat_messages (
  message_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  user_id bigint,
  -- Whose message: 'P_12' or 'U_34'; with the sender's key it makes a retry harmless.
  author text not null,
  key text not null,
  -- Sealed: the longest text in UTF-8, with what sealing adds.
  payload bytea not null check (octet_length(payload) <= 1600 * 4 + 37),
  occurred_at timestamptz not null,
  unique (appointment_id, author, key),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, user_id) references users (company_id, user_id)
);
create index chat_messages_appointment on chat_messages (appointment_id, message_id);

-- Files of appointments; their content is in blobs.
create table files (
  file_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  file_uid text not null unique check (file_uid ~ '^[0-9a-f]{32}$'),
  -- Sealed.
  name bytea not null check (octet_length(name) <= 1000),
  media_type text not null check (length(media_type) <= 100),
  size bigint not null check (size >= 0),
  -- A keyed hash of the content: it shows to no one whether a known file is stored.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  by_user_id bigint,
  uploaded_at timestamptz not null,
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index files_appointment on files (appointment_id, file_id);

-- Notifications

create table notification_logs (
  notification_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  appointment_id bigint,
  patient_id bigint,
  -- To a patient (patient_id) or to a user.
  to_user_id bigint,
  kind text not null,
  method text not null check (method in ('email', 'text')),
  -- Unique per appointment, kind, method and due time: a retry never sends twice.
  due_at timestamptz not null,
  -- 'dropped': superseded by a later one, or no longer true when its turn came.
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'dropped')),
  error text not null default '',
  sent_at timestamptz,
  by_user_id bigint,
  created_at timestamptz not null,
  -- The worker that sends it has it until then; no other one sends it meanwhile.
  claimed_until timestamptz,
  -- Not sent before; null = a job sends it. A new time set by drag and drop waits until it can no longer be undone.
  held_until timestamptz,
  -- Where the appointment was when the patient was last notified: a move back there needs no message.
  known_starts_at timestamptz,
  known_doctor_id bigint,
  unique nulls not distinct (company_id, appointment_id, to_user_id, kind, method, due_at),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, to_user_id) references users (company_id, user_id),
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index notification_logs_appointment on notification_logs (appointment_id, created_at);
create index notification_logs_queued on notification_logs (due_at) where state = 'queued';
create index notification_logs_patient on notification_logs (company_id, patient_id) where patient_id is not null;
create index notification_logs_held on notification_logs (held_until) where state = 'queued' and held_until is not null;

-- What a demo would have sent.
create table outbox (
  outbox_id bigint primary key default nextval('ids'),
  occurred_at timestamptz not null,
  method text not null check (method in ('email', 'text')),
  recipient text not null,
  subject text not null default '',
  body_text text not null,
  body_html text not null default '',
  attachments jsonb not null default '[]'
);
create index outbox_at on outbox (outbox_id desc);

-- Keys at rest (platform/keys.ts). SECRET_KEY seals the keys; the keys seal everything else.

-- The keys of the installation, sealed by the key that follows from SECRET_KEY. The first start makes them; they are the
-- check that SECRET_KEY is the right one.
create table installation_keys (
  purpose text primary key check (purpose in ('lookup', 'sign-in', 'audit')),
  sealed bytea not null
);

-- One key of a company seals what is written; superseded ones still open what has not been sealed again.
create table data_keys (
  key_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  sealed bytea not null,
  created_at timestamptz not null,
  superseded_at timestamptz,
  -- The transaction that made it: until that has ended the key may still vanish, so no process remembers it.
  made_in xid8 default pg_current_xact_id()
);
create unique index data_keys_current on data_keys (company_id) where superseded_at is null;
create index data_keys_superseded on data_keys (company_id) where superseded_at is not null;

-- The audit log only grows: the application may insert, and no one may change. A keyed chain over it is made in the server's
-- process (platform/audit-chain.ts): the owner of the database can change rows, but cannot make a chain that fits.

create table audit_log (
  audit_id bigint not null default nextval('ids'),
  company_id bigint,
  occurred_at timestamptz not null,
  actor text not null,
  action text not null,
  path text not null,
  objects jsonb not null default '{}',
  address text not null default '',
  request_id text not null,
  -- Says which rows are committed for certain, so that a late commit never slips behind the seal.
  xid xid8 not null default pg_current_xact_id(),
  primary key (occurred_at, audit_id)
) partition by range (occurred_at);
create index audit_log_xid on audit_log (xid, audit_id);
create index audit_log_company on audit_log (company_id, occurred_at);

-- One seal for a batch of rows.
create table audit_seals (
  seal_no bigint primary key,
  row_count int not null check (row_count > 0),
  -- Of the seal before, this one's number and count, and the rows by audit_id.
  hash bytea not null check (octet_length(hash) = 32)
);
-- Which seal a row is under; partitioned like the log. No foreign keys: the check of the chain finds what is missing.
create table audit_sealed (
  audit_id bigint not null,
  occurred_at timestamptz not null,
  seal_no bigint not null,
  primary key (occurred_at, audit_id)
) partition by range (occurred_at);
create index audit_sealed_no on audit_sealed (seal_no, audit_id);

-- Rows of all transactions before this one are sealed, or are in a batch that was full.
create table audit_sealer (
  only_one boolean primary key default true check (only_one),
  sealed_to xid8 not null
);
insert into audit_sealer (sealed_to) values ('0');

create trigger only_grows before update or delete or truncate on audit_log for each statement execute function refuse_change();
create trigger only_grows before update or delete or truncate on audit_seals for each statement execute function refuse_change();
create trigger only_grows before update or delete or truncate on audit_sealed for each statement execute function refuse_change();

-- Adds a partition of the log or of its seals. Partitions are read and filled through their parent only: no one has rights
-- on them, and a statement that names one is refused like one that names the parent.
create function add_audit_partition(parent text, suffix text, bounds text) returns void language plpgsql as $$
declare
  name text := parent || '_' || suffix;
begin
  execute format('create table %I partition of %I %s', name, parent, bounds);
  execute format('create trigger only_grows before update or delete or truncate on %I for each statement
    execute function refuse_change()', name);
  if parent = 'audit_log' then
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end if;
end $$;

-- Rows of a month without a partition: no row fails for want of one.
select add_audit_partition('audit_log', 'default', 'default');
select add_audit_partition('audit_sealed', 'default', 'default');

-- Creates the missing partitions of some months (UTC), beginning with the month of an instant; returns how many. A month whose
-- rows are in the default partition stays there. While another transaction holds the log for long it gives up; the next call
-- goes on. It belongs to the owner of the tables, since only that role may create partitions.
create function create_audit_partitions(at timestamptz, months int) returns int
  language plpgsql volatile security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  created int := 0; month timestamp; parent text;
begin
  for i in 0 .. least(months, 24) - 1 loop
    month := date_trunc('month', at at time zone 'UTC') + make_interval(months => i);
    foreach parent in array array['audit_log', 'audit_sealed'] loop
      if to_regclass(format('%I', parent || '_' || to_char(month, 'YYYY_MM'))) is not null then continue; end if;
      begin
        perform add_audit_partition(parent, to_char(month, 'YYYY_MM'), format('for values from (%L) to (%L)',
          month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'));
        created := created + 1;
      exception when check_violation or lock_not_available or duplicate_table then null;
      end;
    end loop;
  end loop;
  return created;
end $$;
revoke execute on function create_audit_partitions(timestamptz, int) from public;
grant execute on function create_audit_partitions(timestamptz, int) to app_user;
revoke execute on function add_audit_partition(text, text, text) from public;

-- The planner expects each company to have a hundredth of the rows. With the counted number of companies it expects a few rows
-- of any of them, and then reads all rows of a large company in place of an index that has the page in its order.
do $$
declare t text;
begin
  for t in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition loop
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
  end loop;
end $$;

-- Row-level security

do $$
declare t text;
begin
  foreach t in array array['companies', 'users', 'user_notify_for', 'sign_ins', 'one_time_tokens', 'sign_in_failures',
    'idempotency_keys', 'patients', 'patient_phones', 'appointments', 'visits', 'ledger', 'scheduling_rules', 'rule_times',
    'rule_providers', 'time_off', 'holds', 'booking_requests', 'peers', 'chat_messages', 'files', 'notification_logs',
    'installation_keys', 'data_keys', 'audit_log'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
  end loop;

  -- The company and its people: Super writes, too.
  foreach t in array array['companies', 'users'] loop
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) or (select app_is(''super'')))
      with check ((company_id = (select app_company()) and (select app_patient()) is null) or (select app_is(''super'')))', t);
  end loop;

  -- Of one patient. The fence around a patient is a CASE on purpose: the planner takes it for half of the rows, where it
  -- takes the plain OR for one in two hundred and then joins a whole company to show 50 rows.
  foreach t in array array['patients', 'patient_phones', 'appointments', 'visits', 'ledger', 'peers', 'chat_messages',
    'booking_requests'] loop
    execute format($p$create policy tenant on %I for all to app_user using (company_id = (select app_company())
      and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end)$p$, t);
  end loop;

  -- No patient's data: everyone of the company reads, also those who are booking; staff write.
  foreach t in array array['scheduling_rules', 'rule_times', 'rule_providers', 'time_off'] loop
    execute format('create policy tenant on %I for all to app_user using (company_id = (select app_company()))
      with check (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;

  -- Staff's alone.
  foreach t in array array['user_notify_for', 'idempotency_keys', 'files'] loop
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;

  -- Signing in happens before a person is known; these tables hold no clinic's data.
  foreach t in array array['sign_ins', 'one_time_tokens', 'sign_in_failures'] loop
    execute format('create policy unauthenticated on %I for all to app_user using ((select app_is(''unauthenticated'')))', t);
  end loop;
end $$;
create policy tenant on holds for all to app_user using (company_id = (select app_company()));
-- What patients do themselves (booking, moving, cancelling) notifies them in the same transaction.
create policy tenant on notification_logs for all to app_user using (company_id = (select app_company())
  and case when (select app_patient()) is null then true else patient_id = (select app_patient()) and to_user_id is null end);
-- A request for a time comes from a person who is not signed in: the key alone says that it is the same one.
create policy stranger on idempotency_keys for all to app_user
  using (company_id = (select app_company()) and (select app_is('booking')) and actor = 'anyone');
create policy installation on idempotency_keys for all to app_user using (company_id is null and (select app_is('super')));
create policy tenant on data_keys for all to app_user
  using (company_id = (select app_company()) or (select app_is('installation')));
create policy installation on installation_keys for all to app_user using ((select app_is('installation')));
-- What was said is not changed; only a job seals it again.
create policy reseal on chat_messages as restrictive for update to app_user using ((select app_is('job')));
create policy append on audit_log for insert to app_user with check (true);
create policy read on audit_log for select to roomside_auditor using (true);

-- Rights of the application

grant select, insert, update on companies, users, sign_ins, one_time_tokens, idempotency_keys, patients, appointments,
  visits, scheduling_rules, time_off, booking_requests, instances, peers, notification_logs, installation_keys to app_user;
grant select, insert, update, delete on patient_phones, holds, data_keys, files to app_user;
grant select, insert, delete on sign_in_failures, rule_times, rule_providers, user_notify_for, outbox to app_user;
grant select, insert on ledger, chat_messages to app_user;
grant update (payload) on chat_messages to app_user;
grant select on brands, schema_migrations to app_user;
grant insert on audit_log to app_user;

-- Rights of the functions in functions/, which look past the policies and test the company themselves.

grant select, insert, update on companies, users, user_notify_for, brands, sign_ins, one_time_tokens, sign_in_failures,
  idempotency_keys, patients, patient_phones, appointments, visits, ledger, scheduling_rules, rule_times, rule_providers,
  time_off, holds, booking_requests, instances, peers, chat_messages, notification_logs, outbox, audit_log
  to roomside_definer;
grant delete on sign_ins, one_time_tokens, idempotency_keys, instances, outbox, holds to roomside_definer;
grant select, insert on audit_seals, audit_sealed to roomside_definer;
grant select, update on audit_sealer to roomside_definer;

-- Who reads the log: a role without a login, for the operator to grant.
grant select on audit_log, audit_seals, audit_sealed to roomside_auditor;
