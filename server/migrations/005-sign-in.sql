-- The door: definer functions for those who are not signed in yet. They answer with ids and what checking needs,
-- never with a clinic's data.

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

-- The appointment of a live code. A code dies `after` the end of the visit (or of the planned time, if nobody came),
-- and with the cancellation, which replaces it.
create function auth_access_code(code bytea, at timestamptz, after interval)
  returns table (appointment_id bigint, company_id bigint, patient_id bigint, blocked_by text)
  language sql volatile security definer set search_path = public
  begin atomic
    -- The share lock: whoever is replacing the code finishes first, and then this finds nothing.
    select a.appointment_id, a.company_id, a.patient_id, case when c.disabled then 'company' end
    from appointments a join companies c on c.company_id = a.company_id
      left join visits v on v.appointment_id = a.appointment_id
    where a.code_hash = code and app_is('unauthenticated') and not a.cancelled and a.archived_at is null
      and at < greatest(a.ends_at, v.ended_at) + after
    for share of a;
  end;

create function auth_set_password(id bigint, hash text) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update users set password_hash = hash where user_id = id and app_is('unauthenticated');
    -- Links of earlier requests end with the first that is used.
    update one_time_tokens set used_at = created_at where user_id = id and used_at is null and app_is('unauthenticated');
  end;

create function installation_is_empty() returns boolean language sql stable security definer set search_path = public
  begin atomic
    select not exists (select 1 from users);
  end;

-- The administrator of the installation who has no password yet, if nobody else could sign in as one: 0 = there is none
-- at all, null = somebody can.
create function super_to_welcome() returns bigint language sql stable security definer set search_path = public
  begin atomic
    select case when exists (select 1 from users where is_super and password_hash is not null) then null
      else coalesce((select min(user_id) from users where is_super), 0) end;
  end;

-- Opens the transaction of a signed-in person: checks that the sign-in, the person and the company still stand, sets
-- what the policies read, and answers who it is. No row = signed out (or the code has died).
create function open_session(sign_in bigint, at timestamptz, code_lives interval) returns table (
  kind text, company_id bigint, user_id bigint, is_super boolean, role_id text, first_name text, last_name text,
  patient_id bigint, appointment_id bigint, appointment_uid text, serial text, time_zone text, currency text)
  language plpgsql volatile security definer set search_path = public as $$
declare
  s sign_ins; u users; p patients; a appointments; c companies; ended timestamptz;
begin
  select * into s from sign_ins x where x.sign_in_id = sign_in and x.revoked_at is null and x.expires_at > at;
  if not found then return; end if;
  if s.kind = 'staff' then
    select * into u from users x where x.user_id = s.user_id and not x.disabled;
    if not found then return; end if;
    if u.company_id is not null then
      select * into c from companies x where x.company_id = u.company_id and not x.disabled;
      if not found then return; end if;
    end if;
    perform set_config('app.kind', case when u.is_super then 'super' else 'company' end, true);
    perform set_config('app.company', coalesce(u.company_id::text, ''), true);
    return query select 'staff', u.company_id, u.user_id, u.is_super, u.role_id, u.first_name, u.last_name,
      null::bigint, null::bigint, null::text, s.serial, c.time_zone, c.currency;
  else
    select * into c from companies x where x.company_id = s.company_id and not x.disabled;
    if not found then return; end if;
    select * into p from patients x where x.patient_id = s.patient_id and x.archived_at is null;
    if not found then return; end if;
    select * into a from appointments x where x.appointment_id = s.appointment_id;
    select v.ended_at into ended from visits v where v.appointment_id = s.appointment_id;
    if a.cancelled or a.archived_at is not null or at >= greatest(a.ends_at, ended) + code_lives then return; end if;
    perform set_config('app.kind', 'patient', true);
    perform set_config('app.company', s.company_id::text, true);
    perform set_config('app.patient', s.patient_id::text, true);
    return query select 'patient', s.company_id, null::bigint, false, 'P', p.first_name, p.last_name,
      s.patient_id, s.appointment_id, a.appointment_uid, s.serial, c.time_zone, c.currency;
  end if;
end $$;

-- Those of the given sign-ins that no longer stand, and the roles of those that do: for the hub's watch, once a second.
create function revoked_sign_ins(ids bigint[], roles text[], at timestamptz, code_lives interval) returns setof bigint
  language sql stable security definer set search_path = public
  begin atomic
    select w.id from unnest(ids, roles) as w(id, role)
      left join sign_ins s on s.sign_in_id = w.id
      left join users u on u.user_id = s.user_id
      left join companies c on c.company_id = coalesce(s.company_id, u.company_id)
      left join appointments a on a.appointment_id = s.appointment_id
      left join visits v on v.appointment_id = s.appointment_id
    where s.sign_in_id is null or s.revoked_at is not null or s.expires_at <= at or coalesce(u.disabled, false)
      or coalesce(c.disabled, false) or (u.user_id is not null and u.role_id <> w.role)
      or (a.appointment_id is not null
        and (a.cancelled or a.archived_at is not null or at >= greatest(a.ends_at, v.ended_at) + code_lives));
  end;

-- A new code ends the sign-ins that the old one made.
create function end_patient_sign_ins(appointment bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sign_ins set revoked_at = at
    where appointment_id = appointment and company_id = app_company() and app_patient() is null and revoked_at is null;
  end;

-- All of a person's sign-ins but one, from a transaction of that person's company (or a Super's).
create function end_user_sign_ins(id bigint, keep bigint, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update sign_ins set revoked_at = at
    where user_id = id and sign_in_id <> keep and revoked_at is null and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
    update one_time_tokens set used_at = at
    where user_id = id and used_at is null and app_patient() is null
      and exists (select 1 from users u where u.user_id = id and (u.company_id = app_company() or app_is('super')));
  end;

-- Definer functions belong to a role that may look past the policies and cannot sign in.
do $$
declare f regprocedure;
begin
  grant select, insert, update on all tables in schema public to roomside_definer;
  foreach f in array array[
    'auth_user(text)', 'auth_user_by_id(bigint)', 'auth_access_code(bytea,timestamptz,interval)', 'auth_set_password(bigint,text)',
    'installation_is_empty()', 'super_to_welcome()', 'open_session(bigint,timestamptz,interval)', 'revoked_sign_ins(bigint[],text[],timestamptz,interval)',
    'end_patient_sign_ins(bigint,timestamptz)', 'end_user_sign_ins(bigint,bigint,timestamptz)', 'find_patients(text,int)', 'rooms_to_sweep(timestamptz)', 'unannounced_arrivals(timestamptz)',
    'seal_audit(int)', 'first_broken_seal()']::regprocedure[]
  loop
    execute format('grant create on schema public to roomside_definer');
    execute format('alter function %s owner to roomside_definer', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to app_user', f);
  end loop;
  revoke create on schema public from roomside_definer;
end $$;
