-- Notes, cancellation notes and chat are sealed by the company's key (platform/sealed-text.ts). What is there is marked as
-- plain text (format 0), and is sealed by the server before it listens (features/upkeep/reseal.ts).

alter table appointments drop constraint appointments_cancellation_notes_check;
alter table appointments
  alter column notes drop default,
  alter column cancellation_notes drop default;
alter table appointments
  alter column notes type bytea using case when notes = '' then ''::bytea else '\x00'::bytea || convert_to(notes, 'UTF8') end,
  alter column cancellation_notes type bytea using
    case when cancellation_notes = '' then ''::bytea else '\x00'::bytea || convert_to(cancellation_notes, 'UTF8') end;
alter table appointments
  alter column notes set default '',
  alter column cancellation_notes set default '';

alter table chat_messages drop constraint chat_messages_payload_check;
alter table chat_messages
  alter column payload type bytea using '\x00'::bytea || convert_to(payload, 'UTF8');
-- The longest text in UTF-8, with what sealing adds.
alter table chat_messages add check (octet_length(payload) <= 1600 * 4 + 37);

-- What was said is not changed; only a job seals it again.
grant update (payload) on chat_messages to app_user;
create policy reseal on chat_messages as restrictive for update to app_user using ((select app_is('job')));

alter table companies no force row level security;
alter table data_keys no force row level security;
insert into data_keys (company_id, sealed, created_at, superseded_at, made_in)
  select company_id, '', created_at, created_at, null from companies c
  where not exists (select from data_keys k where k.company_id = c.company_id and octet_length(k.sealed) = 0);
alter table companies force row level security;
alter table data_keys force row level security;
