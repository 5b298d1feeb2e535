-- O'Brien is one name, however a keyboard writes its apostrophe. As platform/fold.ts.
create function fold(typed text) returns text language sql immutable parallel safe
  return lower(trim(regexp_replace(normalize(translate(typed,
    U&'\2018\2019\02BC\2032\00B4\0060\2010\2011\2012\2013\2014\2015\2212', '''''''''''''-------'), NFKC), '\s+', ' ', 'g')));

-- Text search under row-level security: LIKE is not leakproof and would scan; this runs past the policies and repeats the
-- company test itself. `pattern` is a LIKE pattern in lower case.
create function find_patients(pattern text, max_rows int) returns setof bigint
  language sql stable security definer set search_path = public
  begin atomic
    select patient_id from patients
    where company_id = app_company() and app_patient() is null and archived_at is null and search like pattern
    limit max_rows;
  end;

-- All records of one patient become another's of the same company; the first is archived. The person who booked has seen the
-- code and may be anyone: their sign-ins end, their code requires proof, and their hold goes on naming the archived patient,
-- so that repeating the booking shows nothing of the other one.
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
  update sign_ins set revoked_at = at
    where company_id = app_company() and patient_id = source and revoked_at is null;
  update appointments set pre_merge_code = code_hash, patient_id = target
    where company_id = app_company() and patient_id = source;
  foreach t in array array['visits', 'ledger', 'peers', 'chat_messages', 'notification_logs', 'booking_requests'] loop
    execute format('update %I set patient_id = $2 where company_id = $3 and patient_id = $1', t)
      using source, target, app_company();
  end loop;
  update patients set archived_at = at, merged_into = target where company_id = app_company() and patient_id = source;
end $$;
