-- Imports of patients from CSV files (decision 063).

create table imports (
  import_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  type text not null check (type in ('Patient')),
  by_user_id bigint not null,
  state text not null default 'uploaded' check (state in
    ('uploaded', 'checking', 'checked', 'importing', 'done', 'cancelled', 'undoing', 'undone', 'failed', 'discarded')),
  uploaded_at timestamptz not null,
  -- The end of the last check, import or undoing.
  finished_at timestamptz,
  -- Until then it can be undone, and its files are kept; null = not imported, or nothing is left of it.
  undo_until timestamptz,
  -- The file, in a sealed blob. The name is sealed (platform/sealed-text.ts).
  file_uid text not null unique check (file_uid ~ '^[0-9a-f]{32}$'),
  file_name bytea not null,
  file_size bigint not null,
  -- The last row has a line break behind it.
  has_end boolean not null default true,
  definition jsonb not null,
  -- The wrong rows as CSV, in a sealed blob; without a size it is being written.
  wrong_uid text unique check (wrong_uid ~ '^[0-9a-f]{32}$'),
  wrong_size bigint,
  -- The first problems with their values, sealed.
  problems bytea not null default '',
  -- The worker that has it, until then; another one goes on where it was afterwards.
  claim uuid,
  lease_until timestamptz,
  attempts int not null default 0,
  -- How it shall end: what is done so far stays, or is undone.
  cancel text check (cancel in ('keep', 'remove')),
  -- Records of the file that are done; of an undoing, the last patient.
  position bigint not null default 0,
  -- For the progress: bytes of the file; of an undoing, patients.
  amount_done bigint not null default 0,
  amount_total bigint not null default 0,
  rows int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  unchanged int not null default 0,
  wrong int not null default 0,
  doubled int not null default 0,
  kept int not null default 0,
  unique (company_id, import_id),
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
-- One at a time.
create unique index imports_running on imports (company_id) where state in ('checking', 'importing', 'undoing');
create index imports_company on imports (company_id, import_id);

-- The rows that are not imported, in the order of the file.
create table import_problems (
  company_id bigint not null,
  import_id bigint not null,
  -- The record of the file, from 0, and the problem of it.
  record_no bigint not null,
  problem_no int not null,
  line bigint not null,
  column_idx int,
  code text not null,
  detail bigint not null,
  primary key (company_id, import_id, record_no, problem_no),
  foreign key (company_id, import_id) references imports (company_id, import_id)
);

-- What the rows of a file are compared by while it is checked: hashes of ids, and of names with birth date and contact.
create table import_keys (
  company_id bigint not null,
  import_id bigint not null,
  key bigint not null,
  line bigint not null,
  primary key (company_id, import_id, key),
  foreign key (company_id, import_id) references imports (company_id, import_id)
);

-- Patients that an import has changed, for its undoing. Their earlier values are sealed.
create table import_changes (
  change_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  import_id bigint not null,
  patient_id bigint not null,
  -- The version that the import has written: any other was edited since.
  version int not null,
  before bytea not null,
  unique (company_id, import_id, patient_id),
  foreign key (company_id, import_id) references imports (company_id, import_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index import_changes_patient on import_changes (company_id, patient_id);

-- The import that has created a patient.
alter table patients
  add column import_id bigint,
  add foreign key (company_id, import_id) references imports (company_id, import_id);
create index patients_import on patients (company_id, import_id, patient_id) where import_id is not null;

-- What name and birth date are compared by; names as fold does (functions/patients.sql). One value, so that no other index is taken for a
-- common birth date. For an index: it must not change.
create function patient_key(first_name text, last_name text, birth_date date) returns text language sql immutable parallel safe
  return lower(trim(regexp_replace(normalize(translate((birth_date - date '2000-01-01') || ' ' || last_name || ', ' || first_name,
    U&'\2018\2019\02BC\2032\00B4\0060\2010\2011\2012\2013\2014\2015\2212', '''''''''''''-------'), NFKC), '\s+', ' ', 'g')));

create index patients_identity on patients (company_id, patient_key(first_name, last_name, birth_date))
  where archived_at is null and birth_date is not null;
create index patients_external on patients (company_id, external_id) where archived_at is null and external_id <> '';

do $$
declare t text;
begin
  foreach t in array array['imports', 'import_problems', 'import_keys', 'import_changes'] loop
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    -- Staff's alone.
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;
end $$;
grant select, insert, update, delete on imports, import_problems, import_keys, import_changes to app_user;
grant select, update on imports to roomside_definer;
