-- Files that are shared with the patient, and photos.

alter table files
  -- Since when the patient sees the file; null = staff only.
  add column shared_at timestamptz,
  -- When the patient first downloaded it.
  add column downloaded_at timestamptz;

-- Patients read their shared files, and the first download is noted. Staff do everything.
create policy shared_read on files for select to app_user
  using (company_id = (select app_company()) and shared_at is not null and patient_id = (select app_patient()));
create policy shared_download on files for update to app_user
  using (company_id = (select app_company()) and shared_at is not null and patient_id = (select app_patient()))
  with check (company_id = (select app_company()) and shared_at is not null and patient_id = (select app_patient()));

-- Pictures of patients, taken in the room; their content is in blobs.
create table photos (
  file_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  file_uid text not null unique check (file_uid ~ '^[0-9a-f]{32}$'),
  -- Names the request for the picture: patient and staff may both send it, and one is stored.
  request_key text not null check (length(request_key) between 8 and 64),
  size bigint not null check (size > 0),
  -- A keyed hash of the content.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- Null: the patient's own device sent it.
  by_user_id bigint,
  uploaded_at timestamptz not null,
  unique (appointment_id, request_key),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index photos_patient on photos (company_id, patient_id, file_id);
-- As the other tables with a company: planned for large ones.
alter table photos alter column company_id set (n_distinct = 100);

alter table photos enable row level security;
alter table photos force row level security;
create policy tenant on photos for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);
-- A patient's device adds pictures of that patient, and reads none.
create policy add_own on photos for insert to app_user
  with check (company_id = (select app_company()) and patient_id = (select app_patient()));
grant select, insert, delete on photos to app_user;
