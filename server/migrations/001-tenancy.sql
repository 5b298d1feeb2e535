-- Tenancy, identity, audit. Runs as the owner; the application connects as the plain role app_user, and every tenant
-- table forces row-level security, so that a forgotten WHERE leaks nothing. SQL never asks for the time: it gets it.

create extension if not exists pg_trgm;

-- One sequence for the whole installation: an id says nothing about how many rows a company has.
create sequence ids as bigint start 1001;
grant usage on sequence ids to app_user;
grant usage on schema public to app_user, roomside_definer;

-- What a transaction was opened for. 'company' and 'job' see one company, 'patient' one patient of it, 'super' the
-- companies and their users, 'unauthenticated' nothing but the tables of signing in.
create function app_kind() returns text language sql stable parallel safe
  return coalesce(current_setting('app.kind', true), '');
create function app_company() returns bigint language sql stable parallel safe
  return case when app_kind() in ('company', 'job', 'patient', 'booking') then nullif(current_setting('app.company', true), '')::bigint end;
-- Null for staff (no fence), the patient's id in a patient's transaction, -1 (nobody) if that is missing.
create function app_patient() returns bigint language sql stable parallel safe
  return case app_kind() when 'patient' then coalesce(nullif(current_setting('app.patient', true), '')::bigint, -1) when 'booking' then -1 end;
create function app_is(kind text) returns boolean language sql stable parallel safe
  return app_kind() = kind;

create table companies (
  company_id bigint primary key default nextval('ids'),
  company_uid text not null unique check (company_uid ~ '^[0-9a-f]{32}$'),
  company_name text not null check (length(company_name) between 1 and 50),
  time_zone text not null,
  currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  remind_before_min int not null default 30 check (remind_before_min between 2 and 90),
  provider_count int not null default 1 check (provider_count between 0 and 9999),
  expiration_date date not null,
  start_hour int not null default 8 check (start_hour between 0 and 23),
  end_hour int not null default 17 check (end_hour between 1 and 24),
  duration int not null default 15 check (duration in (10, 15, 20, 30, 60)),
  slot int not null default 15 check (slot in (10, 15, 20, 30, 60)),
  visit_limit int not null default 0 check (visit_limit between 0 and 600),
  self_pay_fee numeric(10,2) not null default 0 check (self_pay_fee between 0 and 10000),
  notify_users_min int not null default 0 check (notify_users_min between 0 and 600),
  support_email text not null default '',
  sms_phone text not null default '',
  generic_schedule boolean not null default false,
  allow_req boolean not null default false,
  allow_recording boolean not null default false,
  notify_providers boolean not null default true,
  front_end_url text not null default '',
  payment_processor text,
  disabled boolean not null default false,
  version int not null default 0,
  created_at timestamptz not null,
  check (end_hour > start_hour)
);

create table users (
  user_id bigint primary key default nextval('ids'),
  company_id bigint references companies,
  is_super boolean not null default false,
  role_id text not null check (role_id in ('A', 'D', 'U')),
  first_name text not null check (length(first_name) between 1 and 50),
  last_name text not null check (length(last_name) between 1 and 50),
  email text not null check (length(email) <= 100),
  phone text not null default '' check (phone = '' or phone ~ '^\+1[2-9][0-9]{2}[2-9][0-9]{6}$'),
  password_hash text,
  npi text not null default '' check (npi ~ '^([0-9]{10})?$'),
  self_pay_fee numeric(10,2),
  notification_type int not null default 1 check (notification_type between 0 and 3),
  external_provider text,
  external_id text,
  disabled boolean not null default false,
  version int not null default 0,
  created_at timestamptz not null,
  check (is_super = (company_id is null)),
  check (not is_super or role_id = 'A'),
  unique (company_id, user_id)
);
create unique index users_email on users (lower(email));
create unique index users_external on users (external_provider, external_id) where external_id is not null;
create index users_company on users (company_id, last_name, first_name, user_id);

-- Identity: one row per sign-in (a family of refresh tokens). A token is worked out from the id, the counter and the
-- seed with a key outside the database, so nothing here can be replayed.
create table sign_ins (
  sign_in_id bigint primary key default nextval('ids'),
  kind text not null check (kind in ('staff', 'patient')),
  company_id bigint,
  user_id bigint references users,
  patient_id bigint,
  appointment_id bigint,
  serial text not null,
  seed bytea not null,
  counter int not null default 0,
  remember boolean not null,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  active_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((kind = 'staff') = (user_id is not null)),
  check ((kind = 'patient') = (patient_id is not null and appointment_id is not null and company_id is not null))
);
-- The device serial is unique among a person's live sign-ins.
create unique index sign_ins_serial_user on sign_ins (user_id, serial) where revoked_at is null and user_id is not null;
create unique index sign_ins_serial_patient on sign_ins (patient_id, serial) where revoked_at is null and patient_id is not null;
create index sign_ins_appointment on sign_ins (appointment_id) where revoked_at is null;

create table one_time_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('login', 'reset')),
  user_id bigint not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_user on one_time_tokens (user_id);

create table sign_in_failures (
  failure_id bigint primary key default nextval('ids'),
  scope text not null check (scope in ('account', 'address', 'code-address', 'code-global', 'reset', 'email')),
  subject bytea not null,
  failed_at timestamptz not null
);
create index sign_in_failures_subject on sign_in_failures (scope, subject, failed_at);
create index sign_in_failures_time on sign_in_failures (failed_at);

create table brands (
  host text primary key,
  strict_mode boolean not null default false,
  providers jsonb not null default '[]'
);

create table idempotency_keys (
  company_id bigint not null references companies,
  actor text not null,
  key text not null check (length(key) between 8 and 100),
  call text not null,
  body_hash bytea not null,
  result jsonb,
  created_at timestamptz not null,
  primary key (company_id, actor, key)
);

-- The audit log only grows: the application may insert, and nobody may change. A sealer chains committed rows by hash;
-- xid tells which are surely committed, so that a late commit never slips behind the seal.
create table audit_log (
  audit_id bigint primary key default nextval('ids'),
  company_id bigint,
  at timestamptz not null,
  actor text not null,
  action text not null,
  path text not null,
  objects jsonb not null default '{}',
  address text not null default '',
  request_id text not null,
  xid xid8 not null default pg_current_xact_id()
);
create index audit_log_xid on audit_log (xid, audit_id);
create index audit_log_company on audit_log (company_id, at);

create table audit_seals (
  seal_no bigint primary key,
  audit_id bigint not null unique references audit_log,
  hash bytea not null
);
create table audit_sealer (
  only_one boolean primary key default true check (only_one),
  sealed_to xid8 not null,
  last_no bigint not null,
  last_hash bytea not null
);
insert into audit_sealer (sealed_to, last_no, last_hash) values ('0', 0, '\x00');

create function audit_digest(previous bytea, a audit_log) returns bytea language sql immutable
  return sha256(previous || convert_to(jsonb_build_array(a.audit_id, a.company_id, extract(epoch from a.at), a.actor, a.action, a.path,
    a.objects, a.address, a.request_id)::text, 'UTF8'));

-- Seals what is committed; answers how many rows. Only one sealer works at a time.
create function seal_audit(most int) returns int language plpgsql security definer set search_path = public as $$
declare
  s audit_sealer; a audit_log; frontier xid8 := pg_snapshot_xmin(pg_current_snapshot()); n int := 0;
begin
  select * into s from audit_sealer for update skip locked;
  if not found then return 0; end if;
  for a in
    select l.* from audit_log l
    where l.xid >= s.sealed_to and l.xid < frontier
      and not exists (select 1 from audit_seals x where x.audit_id = l.audit_id)
    order by l.xid, l.audit_id limit most
  loop
    s.last_no := s.last_no + 1;
    s.last_hash := audit_digest(s.last_hash, a);
    s.sealed_to := a.xid;
    insert into audit_seals values (s.last_no, a.audit_id, s.last_hash);
    n := n + 1;
  end loop;
  if n < most then s.sealed_to := frontier; end if;
  update audit_sealer set sealed_to = s.sealed_to, last_no = s.last_no, last_hash = s.last_hash;
  return n;
end $$;

-- The first seal whose row or hash is not as it was, or null when the chain is whole.
create function first_broken_seal() returns bigint language plpgsql stable security definer set search_path = public as $$
declare
  previous bytea := '\x00'; expected bigint := 0; r record; a audit_log;
begin
  for r in select * from audit_seals order by seal_no loop
    expected := expected + 1;
    select * into a from audit_log where audit_id = r.audit_id;
    if not found or r.seal_no <> expected or audit_digest(previous, a) <> r.hash then return expected; end if;
    previous := r.hash;
  end loop;
  if expected <> (select last_no from audit_sealer) then return expected + 1; end if;
  return null;
end $$;

alter table companies enable row level security;
alter table companies force row level security;
create policy tenant on companies for all to app_user
  using (company_id = (select app_company()) or (select app_is('super')))
  with check ((company_id = (select app_company()) and (select app_patient()) is null) or (select app_is('super')));

alter table users enable row level security;
alter table users force row level security;
create policy tenant on users for all to app_user
  using (company_id = (select app_company()) or (select app_is('super')))
  with check ((company_id = (select app_company()) and (select app_patient()) is null) or (select app_is('super')));

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy tenant on idempotency_keys for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);

-- Signing in happens before anybody is known; these tables hold no clinic's data.
alter table sign_ins enable row level security;
alter table sign_ins force row level security;
create policy unauthenticated on sign_ins for all to app_user using ((select app_is('unauthenticated')));
alter table one_time_tokens enable row level security;
alter table one_time_tokens force row level security;
create policy unauthenticated on one_time_tokens for all to app_user using ((select app_is('unauthenticated')));
alter table sign_in_failures enable row level security;
alter table sign_in_failures force row level security;
create policy unauthenticated on sign_in_failures for all to app_user using ((select app_is('unauthenticated')));

grant select, insert, update on companies, users, sign_ins, one_time_tokens to app_user;
grant select, insert, update on idempotency_keys to app_user;
grant select, insert, delete on sign_in_failures to app_user;
grant select on brands to app_user;
grant insert on audit_log to app_user;
alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy append on audit_log for insert to app_user with check (true);
-- Even the owner does not rewrite history by accident.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The table % only grows.', tg_table_name;
end $$;
create trigger only_grows before update or delete or truncate on audit_log for each statement execute function refuse_change();
create trigger only_grows before update or delete or truncate on audit_seals for each statement execute function refuse_change();
