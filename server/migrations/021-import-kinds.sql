-- Imports of appointments and weekly hours (decision 068).

alter table imports drop constraint imports_type_check,
  add constraint imports_type_check check (type in ('Patient', 'Appointment', 'WeeklyHours'));

-- The times of providers that earlier rows of a file take, while it is checked.
create table import_spans (
  company_id bigint not null,
  import_id bigint not null,
  line bigint not null,
  doctor_id bigint not null,
  -- Of weekly hours: within the week of Sunday, 2 January 2000.
  during tstzrange not null,
  -- The days on which weekly hours apply; all of them for an appointment.
  days daterange not null,
  foreign key (company_id, import_id) references imports (company_id, import_id)
);
create index import_spans_during on import_spans using gist (doctor_id, during);
create index import_spans_line on import_spans (company_id, import_id, line);

-- The import that has created an appointment, and whether it asked for silence: then its patient gets no reminder until the clinic has invited
-- the patient or set another start. One that was held before it was imported is completed without a visit.
alter table appointments
  add column import_id bigint,
  add column no_reminder boolean not null default false,
  add column completed_elsewhere boolean not null default false,
  add foreign key (company_id, import_id) references imports (company_id, import_id);
create index appointments_import on appointments (company_id, import_id, appointment_id) where import_id is not null;
-- Not by company: the only indexes for a number and for a provider's time, whatever the planner knows of a table that an import fills.
create index appointments_external on appointments (external_id) where archived_at is null and external_id <> '';
create index appointments_of_doctor on appointments (doctor_id, starts_at) where archived_at is null;

-- The import that has created a rule.
alter table scheduling_rules
  add column import_id bigint,
  add foreign key (company_id, import_id) references imports (company_id, import_id);
create index scheduling_rules_import on scheduling_rules (company_id, import_id, rule_id) where import_id is not null;

alter table import_spans alter column company_id set (n_distinct = 100);
alter table import_spans enable row level security;
alter table import_spans force row level security;
-- Staff's alone.
create policy tenant on import_spans for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);
grant select, insert, update, delete on import_spans to app_user;
grant select on import_spans to roomside_definer;
