-- Patients, appointments, what was paid. Parents are referenced by (company_id, id): a row can never belong to one
-- company and its parent to another.

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
  unique (company_id, patient_id)
);
create index patients_last_name on patients (company_id, last_name, first_name, patient_id) where archived_at is null;
create index patients_first_name on patients (company_id, first_name, last_name, patient_id) where archived_at is null;
create index patients_birth_date on patients (company_id, birth_date, patient_id) where archived_at is null;
create index patients_created on patients (company_id, created_at, patient_id) where archived_at is null;
create index patients_search on patients using gin (search gin_trgm_ops) where archived_at is null;

create table patient_phones (
  company_id bigint not null,
  patient_id bigint not null,
  position int not null,
  phone text not null check (phone ~ '^\+1[2-9][0-9]{2}[2-9][0-9]{6}$'),
  primary key (company_id, patient_id, position),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);

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
  cancellation_notes text not null default '' check (length(cancellation_notes) <= 1000),
  fee numeric(10,2) not null default 0 check (fee >= 0),
  external_transaction text not null default '',
  external_id text not null default '' check (length(external_id) <= 100),
  welcome_message text not null default '' check (length(welcome_message) <= 200),
  notes text not null default '',
  notes_version int not null default 0,
  code_hash bytea not null unique,
  code_cipher bytea not null,
  -- Booked over another one on purpose; and visits that start at once, which never conflict.
  overbooked boolean not null default false,
  immediate boolean not null default false,
  calendar_sequence int not null default 0,
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  check (ends_at > starts_at),
  check (cancelled = (cancelled_at is not null)),
  unique (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, created_by) references users (company_id, user_id),
  constraint no_double_booking exclude using gist
    (int8range(doctor_id, doctor_id, '[]') with &&, tstzrange(starts_at, ends_at) with &&)
    where (not cancelled and archived_at is null and not overbooked and not immediate)
);
create index appointments_start on appointments (company_id, starts_at, appointment_id) where archived_at is null;
create index appointments_doctor on appointments (company_id, doctor_id, starts_at, appointment_id) where archived_at is null;
create index appointments_patient on appointments (company_id, patient_id, starts_at, appointment_id) where archived_at is null;

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
  -- Ended by staff, and nobody of them has come back since: the patient's link shows that it is over.
  closed boolean not null default false,
  unique (company_id, appointment_id),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index visits_waiting on visits (company_id, doctor_id) where patient_present_at is not null;
create index visits_occupied on visits (appointment_id) where patient_present_at is not null or provider_present_at is not null;

-- collected is the sum of this ledger (decisions, 7). Amounts may be negative (refund, correction).
create table ledger (
  ledger_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  kind text not null check (kind in ('manual', 'charge', 'refund', 'promo')),
  amount numeric(10,2) not null,
  attempt_key text,
  by_user_id bigint,
  at timestamptz not null,
  unique (company_id, attempt_key),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index ledger_appointment on ledger (appointment_id);

-- The fence around a patient is a CASE on purpose: the planner takes it for half of the rows, where it takes the plain
-- OR for one in two hundred and then joins a whole company to show 50 rows.
do $$
declare t text;
begin
  foreach t in array array['patients', 'patient_phones', 'appointments', 'visits', 'ledger'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($p$create policy tenant on %I for all to app_user using (company_id = (select app_company())
      and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end)$p$, t);
    execute format('grant select, insert, update, delete on %I to app_user', t);
  end loop;
end $$;
revoke delete on patients, appointments, visits, ledger from app_user;
revoke update on ledger from app_user;

-- Text search under row-level security: LIKE is not leakproof and would scan; this runs past the policies and repeats
-- the company test itself. `pattern` is a LIKE pattern in lower case.
create function find_patients(pattern text, most int) returns setof bigint
  language sql stable security definer set search_path = public
  begin atomic
    select patient_id from patients
    where company_id = app_company() and app_patient() is null and archived_at is null and search like pattern
    limit most;
  end;
