-- When the data of a patient was erased. Files and recordings that arrive later are refused.
alter table patients add column erased_at timestamptz;
alter table patients no force row level security;
update patients set erased_at = archived_at
  where archived_at is not null and first_name = 'Erased' and last_name = 'Erased' and birth_date is null;
alter table patients force row level security;
