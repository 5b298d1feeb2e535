-- What a waiting patient sees about the wait, and what the check of their device has found.

alter table visits
  add column held boolean not null default false,
  add column expected_at timestamptz;

create table device_checks (
  appointment_id bigint primary key,
  company_id bigint not null,
  patient_id bigint not null,
  checked_at timestamptz not null,
  camera text not null,
  microphone text not null,
  speaker text not null,
  connection text not null,
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade
);
alter table device_checks alter column company_id set (n_distinct = 100);
alter table device_checks enable row level security;
alter table device_checks force row level security;
create policy tenant on device_checks for all to app_user using (company_id = (select app_company())
  and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end);
grant select, insert, update, delete on device_checks to app_user;
