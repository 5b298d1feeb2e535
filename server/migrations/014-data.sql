-- Exports of all data of a company, and how long its records are kept (decision 061).

create table data_exports (
  export_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  by_user_id bigint not null,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'ready', 'downloaded', 'cancelled', 'expired', 'failed')),
  requested_at timestamptz not null,
  -- The worker that makes it, until then; another one begins again afterwards.
  claim uuid,
  lease_until timestamptz,
  attempts int not null default 0,
  -- The moment that the rows are as of.
  snapshot_at timestamptz,
  rows_total bigint not null default 0,
  rows_done bigint not null default 0,
  bytes_total bigint not null default 0,
  bytes_done bigint not null default 0,
  -- Of the archive, bytes; null until it is ready.
  size bigint,
  finished_at timestamptz,
  expires_at timestamptz,
  -- The sign-in that may download, until then: its user has just entered the password.
  download_sign_in bigint,
  download_until timestamptz,
  -- Bytes from the start of the archive that were sent without a gap.
  delivered bigint not null default 0,
  downloaded_at timestamptz,
  unique (company_id, export_id),
  check ((state = 'running') = (claim is not null)),
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
-- One at a time.
create unique index data_exports_live on data_exports (company_id) where state in ('queued', 'running', 'ready');
create index data_exports_company on data_exports (company_id, export_id);

-- The archive, in sealed blobs. A part without a size is being written.
create table data_export_parts (
  company_id bigint not null,
  export_id bigint not null,
  part_no int not null,
  blob_uid text not null unique check (blob_uid ~ '^[0-9a-f]{32}$'),
  size bigint check (size > 0),
  primary key (company_id, export_id, part_no),
  foreign key (company_id, export_id) references data_exports (company_id, export_id)
);

-- How long chats, files with photos, and recordings are kept, months; null = for ever.
alter table companies
  add column keep_chats_months int check (keep_chats_months between 1 and 1200),
  add column keep_files_months int check (keep_files_months between 1 and 1200),
  add column keep_recordings_months int check (keep_recordings_months between 1 and 1200);

-- What is old is found by its time.
create index chat_messages_time on chat_messages (company_id, occurred_at);
create index files_time on files (company_id, uploaded_at);
create index photos_time on photos (company_id, uploaded_at);
create index recording_blobs_time on recording_blobs (company_id, stopped_at);

do $$
declare t text;
begin
  foreach t in array array['data_exports', 'data_export_parts'] loop
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    -- Staff's alone.
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;
end $$;
grant select, insert, update on data_exports to app_user;
grant select, insert, update, delete on data_export_parts to app_user;
grant select, update on data_exports to roomside_definer;
grant select on data_export_parts to roomside_definer;

-- Only the job that follows the company's settings deletes messages.
create policy keep on chat_messages as restrictive for delete to app_user using ((select app_is('job')));
grant delete on chat_messages to app_user;

-- The start of a visit's appointment, so that the visits of some weeks are found without reading all of a company (numbers of a clinic).
alter table visits add column starts_at timestamptz;
update visits v set starts_at = a.starts_at from appointments a where a.appointment_id = v.appointment_id;
create index visits_start on visits (company_id, starts_at);

create function set_visit_start() returns trigger language plpgsql as $$
begin
  -- A restore brings its own.
  if new.starts_at is null then
    new.starts_at := (select a.starts_at from appointments a where a.appointment_id = new.appointment_id);
  end if;
  return new;
end $$;
create trigger visit_start before insert on visits for each row execute function set_visit_start();

create function move_visit_start() returns trigger language plpgsql as $$
begin
  update visits set starts_at = new.starts_at where appointment_id = new.appointment_id;
  return null;
end $$;
create trigger visit_start after update of starts_at on appointments for each row
  when (new.starts_at is distinct from old.starts_at) execute function move_visit_start();
