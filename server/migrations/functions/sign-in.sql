-- For people who are not signed in yet. They return ids and what checking needs, never a clinic's data.

create function auth_user(mail text) returns table (user_id bigint, company_id bigint, password_hash text, blocked_by text)
  language sql stable security definer set search_path = public
  begin atomic
    select u.user_id, u.company_id, u.password_hash,
      case when u.disabled then 'user' when c.disabled then 'company' end
    from users u left join companies c on c.company_id = u.company_id
    where lower(u.email) = lower(mail) and app_is('unauthenticated');
  end;

create function auth_user_by_id(id bigint) returns table (user_id bigint, company_id bigint, blocked_by text)
  language sql stable security definer set search_path = public
  begin atomic
    select u.user_id, u.company_id, case when u.disabled then 'user' when c.disabled then 'company' end
    from users u left join companies c on c.company_id = u.company_id
    where u.user_id = id and app_is('unauthenticated');
  end;

-- The user of an external provider's account.
create function auth_external_user(provider text, subject text)
  returns table (user_id bigint, company_id bigint, blocked_by text)
  language sql stable security definer set search_path = public
  begin atomic
    select u.user_id, u.company_id, case when u.disabled then 'user' when c.disabled then 'company' end
    from users u left join companies c on c.company_id = u.company_id
    where u.external_provider = provider and u.external_id = subject and app_is('unauthenticated');
  end;

-- Connects an external account with the user of its verified email, once. Not with an administrator of the installation, since a
-- provider could then take all companies over. `linked` false = the user has another account.
create function auth_link_external(mail text, provider text, subject text)
  returns table (user_id bigint, company_id bigint, blocked_by text, linked boolean)
  language plpgsql volatile security definer set search_path = public as $$
begin
  if not app_is('unauthenticated') then return; end if;
  select u.user_id, u.company_id, case when u.disabled then 'user' when c.disabled then 'company' end, 
    u.external_id is null or (u.external_provider, u.external_id) = (provider, subject)
  into user_id, company_id, blocked_by, linked
  from users u join companies c on c.company_id = u.company_id
  where lower(u.email) = lower(mail) for no key update of u;
  if not found then return; end if;
  if linked and blocked_by is null then
    update users u set external_provider = provider, external_id = subject, version = u.version + 1
    where u.user_id = auth_link_external.user_id;
  end if;
  return next;
end $$;

-- The appointment of a live code. A code ends `after` the end of the visit (or of the planned time, if no one came), and with
-- the cancellation, which replaces it. `requires_proof`: the code opens the room together with the proof of a contact only.
create function auth_access_code(code bytea, at timestamptz, after interval)
  returns table (appointment_id bigint, company_id bigint, patient_id bigint, blocked_by text, requires_proof boolean)
  language sql volatile security definer set search_path = public
  begin atomic
    -- The share lock: a transaction that replaces the code finishes first, and then this finds nothing. After the merge of the
    -- patient it finds the other one, whose row is not joined: a join keeps the row that it found before it waited.
    select a.appointment_id, a.company_id, a.patient_id, case when c.disabled then 'company' end,
      coalesce(a.pre_merge_code = a.code_hash, false)
    from appointments a join companies c on c.company_id = a.company_id
      left join visits v on v.appointment_id = a.appointment_id
    where a.code_hash = code and app_is('unauthenticated') and not a.cancelled and a.archived_at is null
      and (select p.archived_at from patients p where p.company_id = a.company_id and p.patient_id = a.patient_id) is null
      and at < greatest(a.ends_at, v.ended_at) + after
    for share of a;
  end;

-- Creates the company of a confirmed sign-up with its first administrator, who is returned.
create function create_signed_up_company(
  uid text, name text, zone text, providers int, license_ends date, first text, last text, mail text, mobile text, words text,
  hash text, at timestamptz) returns bigint
  language plpgsql volatile security definer set search_path = public as $$
declare
  company bigint;
  administrator bigint;
begin
  if not app_is('unauthenticated') then return null; end if;
  insert into companies (company_uid, company_name, time_zone, provider_count, expiration_date, created_at)
    values (uid, name, zone, providers, license_ends, at) returning company_id into company;
  insert into users (company_id, role_id, first_name, last_name, email, phone, search, password_hash, created_at)
    values (company, 'A', first, last, mail, mobile, words, hash, at) returning user_id into administrator;
  insert into trials (company_id) values (company);
  return administrator;
end $$;

-- Counts messages of a company that has signed up. False: they would be more than `most` on this day in UTC.
create function take_trial_messages(company bigint, number int, most int, at timestamptz) returns boolean
  language plpgsql volatile security definer set search_path = public as $$
declare
  today date := (at at time zone 'UTC')::date;
begin
  if company is distinct from app_company() then return false; end if;
  update trials t set day = today, messages = case when t.day = today then t.messages else 0 end + number
    where t.company_id = company and case when t.day = today then t.messages else 0 end + number <= most;
  return found or not exists (select from trials t where t.company_id = company);
end $$;

-- Sets a password; links of earlier requests end with the first that is used.
create function auth_set_password(id bigint, hash text, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update users set password_hash = hash where user_id = id and app_is('unauthenticated');
    update one_time_tokens set used_at = at where user_id = id and used_at is null and app_is('unauthenticated');
  end;

-- The words that a person's password must not be.
create function auth_personal_words(id bigint) returns text[] language sql stable security definer set search_path = public
  begin atomic
    select array[u.first_name, u.last_name, u.email, coalesce(c.company_name, '')]
    from users u left join companies c on c.company_id = u.company_id where u.user_id = id and app_is('unauthenticated');
  end;

-- The company behind a link for bookings: only where bookings are taken and the company is not disabled.
create function auth_booking_company(uid text, at timestamptz) returns table (company_id bigint, expired boolean)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, license_ended(c.expiration_date, c.time_zone, at) from companies c
    where c.company_uid = uid and app_is('unauthenticated') and c.generic_schedule and not c.disabled;
  end;

create function installation_is_empty() returns boolean language sql stable security definer set search_path = public
  begin atomic
    select not exists (select 1 from users);
  end;

-- The administrator of the installation who has no password yet, if no other one could sign in: 0 = there is none at all,
-- null = one can sign in.
create function super_to_welcome() returns bigint language sql stable security definer set search_path = public
  begin atomic
    select case when exists (select 1 from users where is_super and password_hash is not null) then null
      else coalesce((select min(user_id) from users where is_super), 0) end;
  end;

-- The visits of an expired company that go on (decision 058): someone is inside, or the last one left less than an hour ago.
-- No one enters another room of an expired company, so that these have begun before. `can_enter`: staff have not ended it.
create function visits_past_license(company bigint, at timestamptz) returns table (appointment_id bigint, can_enter boolean)
  language sql stable security definer set search_path = public
  begin atomic
    select v.appointment_id, not v.closed
    from peers p join visits v on v.appointment_id = p.appointment_id
    where p.company_id = company and (p.left_at is null or p.left_at > at - interval '1 hour')
    group by v.appointment_id;
  end;

-- Opens the transaction of a signed-in person: checks that the sign-in, the person and the company still stand, sets what the
-- policies read, and returns who it is. No row = signed out (or the code has ended). Every request begins with this.
create function open_sign_in(sign_in bigint, at timestamptz, code_lives interval) returns table (
  kind text, company_id bigint, user_id bigint, is_super boolean, role_id text, first_name text, last_name text,
  patient_id bigint, appointment_id bigint, appointment_uid text, serial text, time_zone text, currency text,
  guest_id bigint, guest_role text, license text, second_factor text)
  language plpgsql volatile security definer set search_path = public as $$
declare
  was text;
  expired boolean;
  needs_factor boolean;
begin
  select s.kind, s.serial, s.patient_id, s.appointment_id, s.user_id, coalesce(s.company_id, u.company_id),
    coalesce(u.is_super, false), coalesce(u.role_id, 'P'), u.first_name, u.last_name, c.time_zone, c.currency, s.guest_id,
    coalesce(license_ended(c.expiration_date, c.time_zone, at), false),
    s.kind = 'staff' and coalesce(c.second_factor_from <= (at at time zone c.time_zone)::date, false)
  into kind, serial, patient_id, appointment_id, user_id, company_id,
    is_super, role_id, first_name, last_name, time_zone, currency, guest_id, expired, needs_factor
  from sign_ins s left join users u on u.user_id = s.user_id
    left join companies c on c.company_id = coalesce(s.company_id, u.company_id)
  where s.sign_in_id = sign_in and s.revoked_at is null and s.expires_at > at
    and not coalesce(u.disabled, false) and not coalesce(c.disabled, false);
  if not found then return; end if;
  if kind = 'patient' then
    select p.first_name, p.last_name, a.appointment_uid into first_name, last_name, appointment_uid
    from appointments a left join visits v on v.appointment_id = a.appointment_id, patients p
    where a.appointment_id = open_sign_in.appointment_id and p.patient_id = open_sign_in.patient_id
      and p.archived_at is null and not a.cancelled and a.archived_at is null
      and at < greatest(a.ends_at, v.ended_at) + code_lives;
    if not found then return; end if;
    was := set_config('app.patient', patient_id::text, true);
  elsif kind = 'guest' then
    select g.name, '', g.role, a.appointment_id, a.appointment_uid, a.patient_id
    into first_name, last_name, guest_role, appointment_id, appointment_uid, patient_id
    from visit_guests g join appointments a on a.appointment_id = g.appointment_id
    where g.guest_id = open_sign_in.guest_id and guest_is_valid(g.guest_id, at);
    if not found then return; end if;
    was := set_config('app.visit', appointment_id::text, true);
    was := set_config('app.visit_patient', patient_id::text, true);
  end if;
  -- By `if`: an expression with a subquery would be run as a statement for each request.
  license := 'valid';
  if expired then
    -- A patient's and a guest's own visit only.
    license := case
      when exists (select from visits_past_license(open_sign_in.company_id, at) v
        where kind = 'staff' or v.appointment_id = open_sign_in.appointment_id) then 'during-visit'
      else 'expired' end;
  end if;
  second_factor := 'settled';
  if needs_factor then
    -- A visit is not interrupted (decision 060).
    second_factor := case
      when exists (select from passkeys k where k.user_id = open_sign_in.user_id)
        or exists (select from authenticators f where f.user_id = open_sign_in.user_id and f.secret is not null) then 'settled'
      when exists (select from peers p where p.company_id = open_sign_in.company_id and p.user_id = open_sign_in.user_id
        and (p.left_at is null or p.left_at > at - interval '5 minutes')) then 'during-visit'
      else 'missing' end;
  end if;
  was := set_config('app.kind', case when kind in ('patient', 'guest') then kind when is_super then 'super' else 'company' end, true);
  was := set_config('app.company', coalesce(company_id::text, ''), true);
  return next;
end $$;

-- Those of the given sign-ins, each with a role, that no longer stand, or whose role is another one now, and (`lacks_factor`) those of users outside of
-- visits who lack the second factor that their company requires: for the hub's watch.
create function revoked_sign_ins(ids bigint[], roles text[], at timestamptz, code_lives interval)
  returns table (id bigint, role text, lacks_factor boolean)
  language sql stable security definer set search_path = public
  begin atomic
    select w.id, w.role, false from unnest(ids, roles) as w(id, role)
      left join sign_ins s on s.sign_in_id = w.id
      left join users u on u.user_id = s.user_id
      left join companies c on c.company_id = coalesce(s.company_id, u.company_id)
      left join patients p on p.company_id = s.company_id and p.patient_id = s.patient_id
      left join appointments a on a.appointment_id = s.appointment_id
      left join visits v on v.appointment_id = s.appointment_id
    where s.sign_in_id is null or s.revoked_at is not null or s.expires_at <= at or coalesce(u.disabled, false)
      or coalesce(c.disabled, false) or p.archived_at is not null or (u.user_id is not null and u.role_id <> w.role)
      or (s.guest_id is not null and not guest_is_valid(s.guest_id, at))
      or (a.appointment_id is not null
        and (a.cancelled or a.archived_at is not null or at >= greatest(a.ends_at, v.ended_at) + code_lives))
    union all
    select w.id, w.role, true from unnest(ids, roles) as w(id, role)
      join sign_ins s on s.sign_in_id = w.id
      join users u on u.user_id = s.user_id
      join companies c on c.company_id = u.company_id
    where c.second_factor_from <= (at at time zone c.time_zone)::date
      and not exists (select from passkeys k where k.user_id = u.user_id)
      and not exists (select from authenticators f where f.user_id = u.user_id and f.secret is not null)
      and not exists (select from peers p where p.company_id = u.company_id and p.user_id = u.user_id
        and (p.left_at is null or p.left_at > at - interval '5 minutes'));
  end;

-- A new code ends the sign-ins that the old one made, also when the patient cancels.
create function end_patient_sign_ins(appointment bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sign_ins set revoked_at = at
    where appointment_id = appointment and company_id = app_company() and revoked_at is null
      and (app_patient() is null or patient_id = app_patient());
  end;

-- Locks a user until the transaction ends: signing in and ending all sign-ins of a user wait for each other. Before links and tickets.
create function lock_user(id bigint) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    select from users where user_id = id and app_is('unauthenticated') for no key update;
  end;

-- All of a person's sign-ins but one, from a transaction of that person's company (or a Super's). The links end, and an invitation with them.
create function end_user_sign_ins(id bigint, keep bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    select from users where user_id = id and app_patient() is null and (company_id = app_company() or app_is('super'))
    for no key update;
    update sign_ins set revoked_at = at
    where user_id = id and sign_in_id <> keep and revoked_at is null and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
    update one_time_tokens set used_at = at
    where user_id = id and used_at is null and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
    update users set invited_at = null, invitation_ended_at = at
    where user_id = id and invited_at is not null and password_hash is null and app_patient() is null
      and (company_id = app_company() or app_is('super'));
    delete from sign_in_tickets
    where user_id = id and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
    delete from trusted_devices
    where user_id = id and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
  end;

-- A user's sign-ins that have not ended, from a transaction of that person's company (or a Super's).
create function user_sign_ins(id bigint, at timestamptz) returns table (sign_in_id bigint, browser text, system text,
  network text, remember boolean, created_at timestamptz, active_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select s.sign_in_id, s.browser, s.system, s.network, s.remember, s.created_at, s.active_at
    from sign_ins s join users u on u.user_id = s.user_id
    where s.user_id = id and s.revoked_at is null and s.expires_at > at and app_patient() is null
      and (u.company_id = app_company() or app_is('super'));
  end;

-- Records that the user has proved that it is them, on one of their sign-ins.
create function confirm_sign_in(id bigint, confirmed bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sign_ins set confirmed_at = at
    where user_id = id and sign_in_id = confirmed and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
  end;

-- Whether the user has done so since an instant. A user without a password has proved it by signing in.
create function sign_in_is_confirmed(id bigint, confirmed bigint, since timestamptz) returns boolean
  language sql stable security definer set search_path = public
  begin atomic
    select exists (select 1 from sign_ins s join users u on u.user_id = s.user_id
      where s.user_id = id and s.sign_in_id = confirmed and (s.confirmed_at >= since or (u.password_hash is null and s.created_at >= since)) and app_patient() is null
        and (u.company_id = app_company() or app_is('super')));
  end;

-- One of a user's sign-ins, under the same conditions; returns no row when there is none. Other devices need the second factor again.
create function end_user_sign_in(id bigint, ended bigint, at timestamptz) returns setof bigint
  language sql volatile security definer set search_path = public
  begin atomic
    select from users where user_id = id and app_patient() is null and (company_id = app_company() or app_is('super'))
    for no key update;
    delete from trusted_devices
    where user_id = id and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
    update sign_ins set revoked_at = at
    where user_id = id and sign_in_id = ended and revoked_at is null and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')))
    returning sign_in_id;
  end;

-- Deletes a user with the sign-ins and links. Whatever else names the user refuses it by its foreign key. The audit log has no key: it
-- refuses in the same way when the user has seen or changed something, since its rows are shown with the name of now.
create function delete_user(id bigint) returns void language plpgsql volatile security definer set search_path = public as $$
declare
  company bigint;
  has_acted boolean;
begin
  if app_patient() is not null then return; end if;
  select u.company_id into company from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')) for update;
  if not found then return; end if;
  -- With constants, so that the planner takes the index by person.
  execute format('select exists (select from audit_log a where a.company_id %s and audit_person(a.actor) = %s and not audit_signs(a.action))',
    coalesce('= ' || company, 'is null'), id) into has_acted;
  if has_acted then raise foreign_key_violation using message = 'The audit log has what this user has seen or changed.'; end if;
  delete from sign_ins where user_id = id;
  delete from one_time_tokens where user_id = id;
  delete from user_notify_for where user_id = id or doctor_id = id;
  delete from calendar_feeds where user_id = id;
  delete from busy_times where user_id = id;
  delete from external_calendars where user_id = id;
  delete from users where user_id = id;
end $$;

-- Deletes a company with its users and keys; returns whether it existed. Whatever else names it or them refuses it by its foreign key.
create function delete_company(id bigint) returns boolean language plpgsql volatile security definer set search_path = public as $$
begin
  if not app_is('super') then return false; end if;
  -- In the order of those who save a user. Not the key: others refer to the company while they wait for its users.
  perform from companies where company_id = id for no key update;
  perform from users where company_id = id order by user_id for update;
  delete from sign_ins where user_id in (select u.user_id from users u where u.company_id = id);
  delete from one_time_tokens where user_id in (select u.user_id from users u where u.company_id = id);
  delete from user_notify_for where company_id = id;
  delete from calendar_feeds where company_id = id;
  delete from busy_times where company_id = id;
  delete from external_calendars where company_id = id;
  delete from users where company_id = id;
  delete from data_keys where company_id = id;
  delete from idempotency_keys where company_id = id;
  delete from trials where company_id = id;
  delete from companies where company_id = id;
  return found;
end $$;

-- The invitation of a link, valid or not.
create function auth_guest_link(link bytea, at timestamptz)
  returns table (guest_id bigint, company_id bigint, is_valid boolean)
  language sql stable security definer set search_path = public
  begin atomic
    select g.guest_id, g.company_id, guest_is_valid(g.guest_id, at) from visit_guests g
    where g.link_hash = link and app_is('unauthenticated');
  end;

-- The invitations to a visit end, also when the patient cancels or moves it. Returns those that were open.
create function end_guests(appointment bigint, at timestamptz) returns setof bigint
  language sql volatile security definer set search_path = public
  begin atomic
    update visit_guests set ended_at = at
    where appointment_id = appointment and company_id = app_company() and removed_at is null and ended_at is null
      and (app_patient() is null or patient_id = app_patient())
    returning guest_id;
  end;
