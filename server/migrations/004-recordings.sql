-- Recordings of visits: who asked for one, what each person in the room answered, and the recorded segments by person.

-- Whether a recording was made of this visit (ENTITY-1, STATE-18). Stays when the recordings are deleted.
alter table visits add column recorded boolean not null default false;

-- One recording, from the question to the stop. It records while started_at is set, stopped_at is null, and the peer that makes it is
-- in the room.
create table recording_runs (
  run_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  by_user_id bigint not null,
  -- The device that records.
  peer_id text not null,
  asked_at timestamptz not null,
  -- Everyone in the room had allowed it.
  started_at timestamptz,
  stopped_at timestamptz,
  unique (company_id, run_id),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index recording_runs_appointment on recording_runs (appointment_id, run_id);
create unique index recording_runs_open on recording_runs (appointment_id) where stopped_at is null;

-- What a person answered. A device is asked again after a reload: its stream has another id then.
create table recording_consents (
  consent_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  run_id bigint not null,
  peer_id text not null,
  -- Null for the patient.
  user_id bigint,
  -- The id of the device's media stream; '' without camera and microphone.
  stream_id text not null check (length(stream_id) <= 100),
  allowed boolean not null,
  answered_at timestamptz not null,
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, run_id) references recording_runs (company_id, run_id),
  foreign key (company_id, user_id) references users (company_id, user_id)
);
create index recording_consents_appointment on recording_consents (appointment_id, peer_id, consent_id);
create index recording_consents_run on recording_consents (company_id, run_id, consent_id);

-- The track of one device: of the patient, or of a user. Its segments are in blobs.
create table recordings (
  recording_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  peer_id text not null,
  -- Null for the patient.
  user_id bigint,
  created_at timestamptz not null,
  unique (company_id, recording_id),
  unique (appointment_id, peer_id),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, user_id) references users (company_id, user_id)
);

create table recording_blobs (
  blob_uid text primary key check (blob_uid ~ '^[0-9a-f]{32}$'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  recording_id bigint not null,
  -- Chosen by the recording device: the same segment sent twice is stored once.
  serial text not null check (length(serial) between 8 and 64),
  started_at timestamptz not null,
  stopped_at timestamptz not null check (stopped_at > started_at),
  media_type text not null check (length(media_type) <= 100),
  size bigint not null check (size >= 0),
  -- A keyed hash of the content.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  by_user_id bigint not null,
  uploaded_at timestamptz not null,
  unique (recording_id, serial),
  foreign key (company_id, recording_id) references recordings (company_id, recording_id),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index recording_blobs_appointment on recording_blobs (appointment_id);
create index recording_blobs_recording on recording_blobs (company_id, recording_id, started_at);

do $$
declare t text;
begin
  foreach t in array array['recording_runs', 'recording_consents', 'recordings', 'recording_blobs'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
  end loop;
  -- Of one patient: a patient answers, and sees that a recording runs.
  foreach t in array array['recording_runs', 'recording_consents'] loop
    execute format($p$create policy tenant on %I for all to app_user using (company_id = (select app_company())
      and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end)$p$, t);
  end loop;
  -- Staff's alone.
  foreach t in array array['recordings', 'recording_blobs'] loop
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;
end $$;

grant select, insert, update on recording_runs to app_user;
-- What was answered is not changed.
grant select, insert on recording_consents to app_user;
grant select, insert, delete on recordings, recording_blobs to app_user;
