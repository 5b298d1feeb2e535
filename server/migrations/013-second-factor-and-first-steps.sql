-- From this day in the company's zone its users need a second factor; null = they do not.
alter table companies add column second_factor_from date;

-- A passkey also proves that its user is present, before the second factor is changed.
alter table passkey_challenges drop constraint passkey_challenges_purpose_check,
  add constraint passkey_challenges_purpose_check check (purpose in ('add', 'sign-in', 'confirm'));

-- The first steps of a new clinic: shown to administrators until they are done or dismissed.
alter table companies
  add column first_steps_dismissed_at timestamptz,
  -- When an administrator first copied or opened the booking link.
  add column booking_link_used_at timestamptz;
-- Clinics that have visits know their way.
update companies c set first_steps_dismissed_at = now()
  where exists (select from appointments a where a.company_id = c.company_id);

-- An administrator who tries a visit. Nothing is ever sent about a test patient, and the numbers leave them out.
alter table patients add column is_test boolean not null default false;
create index patients_test on patients (company_id, patient_id) where is_test;
