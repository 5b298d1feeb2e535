-- Scheduling: rules, closures and leave, holds, requests for a time, merged patients, reminders.

alter table companies
  -- How long before the start patients may still move or cancel by themselves, hours.
  add column notice_hours int not null default 24 check (notice_hours between 0 and 720);

alter table users
  -- Was ever on a scheduling rule: from then on only rules open this provider's time (decisions, 5).
  add column uses_rules boolean not null default false;

-- The providers whose arrivals a user hears of by mail or text.
create table user_notify_for (
  company_id bigint not null,
  user_id bigint not null,
  doctor_id bigint not null,
  primary key (company_id, user_id, doctor_id),
  foreign key (company_id, user_id) references users (company_id, user_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id)
);
create index user_notify_for_doctor on user_notify_for (company_id, doctor_id);

-- ENTITY-12; month_mask goes beyond 32 bits. Rules are archived, never deleted.
create table scheduling_rules (
  rule_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  description text not null check (length(description) between 1 and 100),
  disabled boolean not null default false,
  rule_type text not null check (rule_type in ('S', 'D', 'W', 'M')),
  active_start_date date not null,
  active_end_date date,
  daily_type int not null check (daily_type in (1, 2)),
  every_n_day int not null check (every_n_day between 0 and 365),
  every_n_week int not null check (every_n_week between 0 and 52),
  every_n_month int not null check (every_n_month between 0 and 12),
  week_mask int not null check (week_mask between 0 and 127),
  month_mask bigint not null check (month_mask between 0 and 8589934591),
  year_mask int not null check (year_mask between 0 and 4095),
  week_month_mask int not null check (week_month_mask between 0 and 63),
  monthly_type1 int not null check (monthly_type1 in (1, 2)),
  monthly_type2 int not null check (monthly_type2 in (1, 2)),
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  unique (company_id, rule_id),
  foreign key (company_id, created_by) references users (company_id, user_id)
);
create index scheduling_rules_company on scheduling_rules (company_id, rule_id) where archived_at is null;

-- Wall times of the company's day, minutes since midnight.
create table rule_times (
  company_id bigint not null,
  rule_id bigint not null,
  position int not null,
  start_minute int not null check (start_minute between 0 and 1439),
  end_minute int not null check (end_minute between 1 and 1440),
  primary key (company_id, rule_id, position),
  check (end_minute > start_minute),
  foreign key (company_id, rule_id) references scheduling_rules (company_id, rule_id)
);

create table rule_providers (
  company_id bigint not null,
  rule_id bigint not null,
  user_id bigint not null,
  primary key (company_id, rule_id, user_id),
  foreign key (company_id, rule_id) references scheduling_rules (company_id, rule_id),
  foreign key (company_id, user_id) references users (company_id, user_id)
);
create index rule_providers_user on rule_providers (company_id, user_id);

-- Closures of the company (user_id null) and leave of a provider; company days, both inclusive.
create table time_off (
  time_off_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  user_id bigint,
  first_day date not null,
  last_day date not null check (last_day >= first_day),
  reason text not null default '' check (length(reason) <= 200),
  version int not null default 0,
  created_by bigint,
  created_at timestamptz not null,
  archived_at timestamptz,
  unique (company_id, time_off_id),
  foreign key (company_id, user_id) references users (company_id, user_id),
  foreign key (company_id, created_by) references users (company_id, user_id)
);
create index time_off_days on time_off (company_id, last_day) where archived_at is null;

-- A start kept for a patient who is booking. One per browser and three per address at a time. Once booked it names the
-- appointment, so that a repeat of the booking answers the same.
create table holds (
  hold_uid text primary key check (hold_uid ~ '^[0-9a-f]{32}$'),
  company_id bigint not null,
  doctor_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  expires_at timestamptz not null,
  -- The browser's mark and its address, hashed.
  holder bytea not null,
  address bytea not null,
  created_at timestamptz not null,
  appointment_id bigint,
  patient_id bigint,
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index holds_doctor on holds (company_id, doctor_id, starts_at) where appointment_id is null;
create index holds_address on holds (company_id, address, created_at);
create index holds_created on holds (created_at);

-- A patient asked for a time because nothing fitted.
create table booking_requests (
  request_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  patient_id bigint not null,
  doctor_id bigint,
  wish text not null check (length(wish) between 1 and 500),
  created_at timestamptz not null,
  closed_at timestamptz,
  closed_by bigint,
  unique (company_id, request_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, doctor_id) references users (company_id, user_id),
  foreign key (company_id, closed_by) references users (company_id, user_id)
);
create index booking_requests_open on booking_requests (company_id, created_at) where closed_at is null;

alter table patients
  -- Where the records of an archived, merged patient went.
  add column merged_into bigint,
  add foreign key (company_id, merged_into) references patients (company_id, patient_id);

alter table appointments
  -- When the present start was set, null = at creation: no reminder if that was nearer to the start than the reminder.
  add column start_set_at timestamptz,
  -- The code that a visit had when it was joined with a known patient. It was shown to whoever booked, so that it opens
  -- nothing any more without the proof of a contact; any new code is free of that.
  add column pre_merge_code bytea;
create index appointments_upcoming on appointments (starts_at) where archived_at is null and not cancelled and not immediate;

alter table notification_logs drop constraint notification_logs_state_check;
alter table notification_logs
  -- 'dropped': overtaken by a later one, or no longer true when its turn came.
  add constraint notification_logs_state_check check (state in ('queued', 'sent', 'failed', 'dropped'));
-- What a patient does himself (booking, moving, cancelling) tells him in the same transaction.
drop policy tenant on notification_logs;
create policy tenant on notification_logs for all to app_user using (company_id = (select app_company())
  and case when (select app_patient()) is null then true else patient_id = (select app_patient()) and to_user_id is null end);

do $$
declare t text;
begin
  -- No patient's data: everybody of the company reads, also those who are booking; staff write.
  foreach t in array array['scheduling_rules', 'rule_times', 'rule_providers', 'time_off'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I for all to app_user using (company_id = (select app_company()))
      with check (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;
  foreach t in array array['user_notify_for'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
  end loop;
  foreach t in array array['booking_requests'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($p$create policy tenant on %I for all to app_user using (company_id = (select app_company())
      and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end)$p$, t);
  end loop;
  alter table holds enable row level security;
  alter table holds force row level security;
  create policy tenant on holds for all to app_user using (company_id = (select app_company()));
end $$;
grant select, insert, update on scheduling_rules, time_off, booking_requests to app_user;
grant select, insert, delete on rule_times, rule_providers, user_notify_for to app_user;
grant select, insert, update, delete on holds to app_user;

-- The taken times of providers between two instants: live appointments and holds. Past the fence around a patient, so that
-- those who book see what is taken, but never whose it is.
create function provider_busy(doctors bigint[], since timestamptz, until timestamptz, at timestamptz)
  returns table (doctor_id bigint, starts_at timestamptz, ends_at timestamptz, appointment_id bigint, hold_uid text)
  language sql stable security definer set search_path = public
  begin atomic
    select a.doctor_id, a.starts_at, a.ends_at, a.appointment_id, null
    from appointments a
    where a.company_id = app_company() and a.doctor_id = any(doctors)
      and a.starts_at < until and a.starts_at > since - interval '600 minutes' and a.ends_at > since
      and not a.cancelled and not a.immediate and a.archived_at is null
    union all
    select h.doctor_id, h.starts_at, h.ends_at, null, h.hold_uid
    from holds h
    where h.company_id = app_company() and h.doctor_id = any(doctors)
      and h.starts_at < until and h.ends_at > since and h.expires_at > at and h.appointment_id is null;
  end;

-- The company behind a link for bookings: open only where bookings are taken, the company is not disabled and its licence lasts.
create function auth_booking_company(uid text, at timestamptz) returns table (company_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id from companies c
    where c.company_uid = uid and app_is('unauthenticated') and c.generic_schedule and not c.disabled
      and (at at time zone c.time_zone)::date < c.expiration_date;
  end;

-- Appointments whose reminder is due: remind_before_min before the start, none if the start was set nearer than that.
-- Ids only, for job transactions. `due_at` names the reminder: a moved visit has another one.
create function due_reminders(at timestamptz) returns table (company_id bigint, appointment_id bigint, due_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, a.appointment_id, a.starts_at - make_interval(mins => c.remind_before_min)
    from appointments a join companies c on c.company_id = a.company_id
    where a.archived_at is null and not a.cancelled and not a.immediate and not c.disabled
      and a.starts_at > at and a.starts_at <= at + interval '90 minutes'
      and a.starts_at - make_interval(mins => c.remind_before_min) <= at
      and coalesce(a.start_set_at, a.created_at) <= a.starts_at - make_interval(mins => c.remind_before_min)
      and not exists (select 1 from notification_logs n where n.appointment_id = a.appointment_id and n.kind = 'reminder'
        and n.due_at = a.starts_at - make_interval(mins => c.remind_before_min));
  end;

-- Visits whose patient has waited notify_users_min without a provider and of which nobody has been nudged yet.
create function due_nudges(at timestamptz) returns table (company_id bigint, appointment_id bigint, due_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, v.appointment_id, v.patient_present_at + make_interval(mins => c.notify_users_min)
    from visits v join companies c on c.company_id = v.company_id
    where v.patient_present_at is not null and v.provider_present_at is null and v.announced_at is not null
      and c.notify_users_min > 0 and not c.disabled
      and v.patient_present_at + make_interval(mins => c.notify_users_min) <= at
      and not exists (select 1 from notification_logs n where n.appointment_id = v.appointment_id and n.kind = 'nudge'
        and n.due_at = v.patient_present_at + make_interval(mins => c.notify_users_min))
      -- Somebody of the clinic was there a moment ago: he reloads, or is about to come back.
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id and p.role_id <> 'P'
        and p.left_at > at - make_interval(mins => c.notify_users_min));
  end;

-- As in 005; `requires_proof` = the code opens the visit together with the proof of a contact only.
drop function auth_access_code(bytea, timestamptz, interval);
create function auth_access_code(code bytea, at timestamptz, after interval)
  returns table (appointment_id bigint, company_id bigint, patient_id bigint, blocked_by text, requires_proof boolean)
  language sql volatile security definer set search_path = public
  begin atomic
    -- The share lock: whoever is replacing the code finishes first, and then this finds nothing.
    select a.appointment_id, a.company_id, a.patient_id, case when c.disabled then 'company' end,
      coalesce(a.pre_merge_code = a.code_hash, false)
    from appointments a join companies c on c.company_id = a.company_id
      left join visits v on v.appointment_id = a.appointment_id
    where a.code_hash = code and app_is('unauthenticated') and not a.cancelled and a.archived_at is null
      and at < greatest(a.ends_at, v.ended_at) + after
    for share of a;
  end;

-- All records of one patient become another's of the same company; the first is archived. Whoever booked has seen the
-- code and may be anybody: his sign-ins end, his code is guarded, and his hold goes on naming the archived patient, so
-- that repeating the booking tells nothing of the other one.
create function merge_patient(source bigint, target bigint, at timestamptz) returns void
  language plpgsql volatile security definer set search_path = public as $$
declare t text;
begin
  perform from patients where patient_id in (source, target) and company_id = app_company()
    order by patient_id for no key update;
  if app_patient() is not null or source = target or 2 <> (select count(*) from patients
    where patient_id in (source, target) and company_id = app_company() and archived_at is null) then
    raise exception 'These patients cannot be merged.';
  end if;
  update appointments set pre_merge_code = code_hash where patient_id = source;
  update sign_ins set revoked_at = at where patient_id = source and revoked_at is null;
  foreach t in array array['appointments', 'visits', 'ledger', 'peers', 'chat_messages', 'notification_logs', 'booking_requests'] loop
    execute format('update %I set patient_id = $2 where patient_id = $1', t) using source, target;
  end loop;
  update patients set archived_at = at, merged_into = target where patient_id = source;
end $$;

-- A new code ends the sign-ins that the old one made, also when the patient cancels himself.
create or replace function end_patient_sign_ins(appointment bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sign_ins set revoked_at = at
    where appointment_id = appointment and company_id = app_company() and revoked_at is null
      and (app_patient() is null or patient_id = app_patient());
  end;

-- Bookings by link count as attempts, by address.
alter table sign_in_failures drop constraint sign_in_failures_scope_check;
alter table sign_in_failures add constraint sign_in_failures_scope_check
  check (scope in ('account', 'address', 'code-address', 'code-global', 'reset', 'email', 'booking'));

-- Holds that ended a day ago: of no use even to a repeated booking.
create function forget_holds(before timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    delete from holds where created_at < before;
  end;

do $$
declare f regprocedure;
begin
  grant select, insert, update on all tables in schema public to roomside_definer;
  grant delete on holds to roomside_definer;
  grant create on schema public to roomside_definer;
  foreach f in array array[
    'provider_busy(bigint[],timestamptz,timestamptz,timestamptz)', 'auth_booking_company(text,timestamptz)',
    'due_reminders(timestamptz)', 'due_nudges(timestamptz)', 'forget_holds(timestamptz)',
    'merge_patient(bigint,bigint,timestamptz)', 'auth_access_code(bytea,timestamptz,interval)']::regprocedure[]
  loop
    execute format('alter function %s owner to roomside_definer', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to app_user', f);
  end loop;
  revoke create on schema public from roomside_definer;
end $$;
