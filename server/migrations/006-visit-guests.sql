-- People whom staff invite to one visit by a link: family, interpreters, colleagues. Guests are a separate kind of sign-in, which sees
-- one room, and of the patient the name.

create table visit_guests (
  guest_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  guest_uid text not null unique check (guest_uid ~ '^[0-9a-f]{32}$'),
  name text not null check (length(name) between 1 and 60),
  role text not null check (role in ('family', 'interpreter', 'colleague', 'other')),
  -- As an appointment's code: the hash finds the link, the sealed copy shows it to staff and sends it.
  link_hash bytea not null unique,
  link_cipher bytea not null,
  -- An email, or a phone in E.164; sealed.
  contact bytea not null default '' check (octet_length(contact) <= 400),
  sent_at timestamptz,
  sends int not null default 0,
  -- The day of the visit when the invitation was made, by the company's clock: a visit on another day needs a new one.
  visit_day date not null,
  expires_at timestamptz not null,
  by_user_id bigint not null,
  invited_at timestamptz not null,
  joined_at timestamptz,
  -- Removed by staff.
  removed_at timestamptz,
  -- The visit ended, or was cancelled or moved to another day.
  ended_at timestamptz,
  unique (company_id, guest_id),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index visit_guests_appointment on visit_guests (appointment_id, guest_id);
alter table visit_guests alter column company_id set (n_distinct = 100);

alter table sign_ins drop constraint sign_ins_kind_check;
alter table sign_ins add constraint sign_ins_kind_check check (kind in ('staff', 'patient', 'guest'));
alter table sign_ins add column guest_id bigint;
alter table sign_ins add check ((kind = 'guest') = (guest_id is not null)), add check (kind <> 'guest' or company_id is not null);
alter table sign_ins add foreign key (company_id, guest_id) references visit_guests (company_id, guest_id);
create unique index sign_ins_serial_guest on sign_ins (guest_id, serial) where revoked_at is null and guest_id is not null;

alter table peers drop constraint peers_role_id_check;
alter table peers add constraint peers_role_id_check check (role_id in ('A', 'D', 'U', 'P', 'G'));

-- Whose they are, when a guest's; user_id is null then.
do $$
declare t text;
begin
  foreach t in array array['peers', 'chat_messages', 'recording_consents', 'recordings'] loop
    execute format('alter table %I add column guest_id bigint', t);
    execute format('alter table %I add foreign key (company_id, guest_id) references visit_guests (company_id, guest_id)', t);
  end loop;
end $$;

-- A guest's transaction is fenced from all patients (-1), and reaches the rows of one appointment where a policy names it.
create or replace function app_company() returns bigint language sql stable parallel safe
  return case when app_kind() in ('company', 'job', 'patient', 'booking', 'guest') then nullif(current_setting('app.company', true), '')::bigint end;
create or replace function app_patient() returns bigint language sql stable parallel safe
  return case app_kind() when 'patient' then coalesce(nullif(current_setting('app.patient', true), '')::bigint, -1)
    when 'booking' then -1 when 'guest' then -1 end;
-- A guest's appointment, and its patient; null for everyone else.
create function app_visit() returns bigint language sql stable parallel safe
  return case app_kind() when 'guest' then nullif(current_setting('app.visit', true), '')::bigint end;
create function app_visit_patient() returns bigint language sql stable parallel safe
  return case app_kind() when 'guest' then nullif(current_setting('app.visit_patient', true), '')::bigint end;

do $$
declare t text;
begin
  -- What the room needs. A CASE as before, for the planner's sake.
  foreach t in array array['visits', 'peers', 'chat_messages', 'recording_runs', 'recording_consents'] loop
    execute format($p$alter policy tenant on %I using (company_id = (select app_company())
      and case when (select app_patient()) is null then true
        else patient_id = (select app_patient()) or appointment_id = (select app_visit()) end)$p$, t);
  end loop;
end $$;
-- Read only: what a guest's transaction writes has to pass the fence that it has for all patients.
alter policy tenant on appointments using (company_id = (select app_company())
  and case when (select app_patient()) is null then true
    else patient_id = (select app_patient()) or appointment_id = (select app_visit()) end)
  with check (company_id = (select app_company())
    and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end);
alter policy tenant on patients using (company_id = (select app_company())
  and case when (select app_patient()) is null then true
    else patient_id = (select app_patient()) or patient_id = (select app_visit_patient()) end)
  with check (company_id = (select app_company())
    and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end);

-- Of the company, and not needed in a room.
do $$
declare t text;
begin
  foreach t in array array['scheduling_rules', 'rule_times', 'rule_providers', 'time_off', 'holds'] loop
    execute format('alter policy tenant on %I using (company_id = (select app_company()) and not (select app_is(''guest'')))', t);
  end loop;
end $$;

alter table visit_guests enable row level security;
alter table visit_guests force row level security;
create policy tenant on visit_guests for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);
-- The names of those who are in the room.
create policy in_room on visit_guests for select to app_user using (company_id = (select app_company())
  and (patient_id = (select app_patient()) or appointment_id = (select app_visit())));
-- A guest's first entry is noted.
create policy joins on visit_guests for update to app_user
  using (company_id = (select app_company()) and appointment_id = (select app_visit()))
  with check (company_id = (select app_company()) and appointment_id = (select app_visit()));

grant select, insert, update on visit_guests to app_user;
grant select, insert, update on visit_guests to roomside_definer;

-- Whether an invitation is valid: until the visit has ended, and on the day of the visit only.
create function guest_is_valid(guest bigint, at timestamptz) returns boolean language sql stable
  begin atomic
    select exists (select from visit_guests g
      join appointments a on a.appointment_id = g.appointment_id
      join companies c on c.company_id = g.company_id
      where g.guest_id = guest and g.removed_at is null and g.ended_at is null and g.expires_at > at
        and not a.cancelled and a.archived_at is null and not c.disabled
        and (a.starts_at at time zone c.time_zone)::date = g.visit_day);
  end;
