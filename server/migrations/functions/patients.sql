-- O'Brien is one name, however a keyboard writes its apostrophe. As platform/fold.ts.
create function fold(typed text) returns text language sql immutable parallel safe
  return lower(trim(regexp_replace(normalize(translate(typed,
    U&'\2018\2019\02BC\2032\00B4\0060\2010\2011\2012\2013\2014\2015\2212', '''''''''''''-------'), NFKC), '\s+', ' ', 'g')));

-- Text search under row-level security: LIKE is not leakproof and would scan; this runs past the policies and repeats the
-- company test itself. `pattern` is a LIKE pattern in lower case. Planned for each pattern: among a million patients the index
-- takes half a second for one letter, and a scan that ends after `max_rows` takes 7 ms.
create function find_patients(pattern text, max_rows int) returns setof bigint
  language plpgsql stable security definer set search_path = public set plan_cache_mode = force_custom_plan as $$
declare
  company constant bigint := app_company();
begin
  if app_patient() is null then
    return query select patient_id from patients
      where company_id = company and archived_at is null and search like pattern
      limit max_rows;
  end if;
end $$;

-- All records of one patient become another's of the same company; the first is archived. What is of an appointment follows
-- it by its foreign key; features/records/record-tables.ts lists every table and what becomes of its rows here. The person who booked has seen the
-- code and may be anyone: their sign-ins end, their code requires proof, and their hold goes on naming the archived patient,
-- so that repeating the booking shows nothing of the other one.
create function merge_patient(source bigint, target bigint, at timestamptz) returns void
  language plpgsql volatile security definer set search_path = public as $$
begin
  perform from patients where patient_id in (source, target) and company_id = app_company()
    order by patient_id for no key update;
  if app_patient() is not null or source = target or 2 <> (select count(*) from patients
    where patient_id in (source, target) and company_id = app_company() and archived_at is null) then
    raise exception 'These patients cannot be merged.';
  end if;
  update appointments set pre_merge_code = code_hash, patient_id = target
    where company_id = app_company() and patient_id = source;
  -- After the appointments, as all who end or renew the sign-ins of one.
  update sign_ins set revoked_at = at
    where company_id = app_company() and patient_id = source and revoked_at is null;
  update notification_logs set patient_id = target where company_id = app_company() and patient_id = source;
  update booking_requests set patient_id = target where company_id = app_company() and patient_id = source;
  update patients set archived_at = at, merged_into = target where company_id = app_company() and patient_id = source;
end $$;
