-- Work of the server on imports of all companies. Ids only, for job transactions.

-- Gives one worker the next import that waits, or whose worker has vanished.
create function claim_import(at timestamptz, until_at timestamptz, worker uuid)
  returns table (company_id bigint, import_id bigint, attempts int)
  language plpgsql volatile security definer set search_path = public as $$
#variable_conflict use_column
begin
  return query update imports i set claim = worker, lease_until = until_at, attempts = i.attempts + 1
    where i.import_id = (select x.import_id from imports x
      where x.state in ('checking', 'importing', 'undoing') and (x.claim is null or x.lease_until <= at)
      order by x.import_id limit 1 for update skip locked)
    returning i.company_id, i.import_id, i.attempts;
end $$;

-- Imports whose files are not needed any more: files that were replaced or not imported since `drafts_before`, and imports that can no
-- longer be undone.
create function ended_imports(at timestamptz, drafts_before timestamptz) returns table (company_id bigint, import_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select i.company_id, i.import_id from imports i
    where i.undo_until <= at or i.state = 'discarded'
      or i.state in ('uploaded', 'checked') and i.uploaded_at <= drafts_before;
  end;

-- Patients of the company that the rows of a file may be: by the external id, and by name, birth date and phone or email. At most three for
-- each row and way. `rows`: an array of {n, e: external id, f, l: names, b: birth date, m: email, p: phones, a: with any phone and email}. By indexes in any case: what the
-- planner knows of a table that an import fills becomes wrong.
create function match_patients(rows jsonb) returns table (n int, patient_id bigint, by_external boolean)
  language sql stable security definer set search_path = public
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  begin atomic
    select r.n, x.patient_id, true
    from jsonb_to_recordset(rows) as r(n int, e text)
    cross join lateral (
      select p.patient_id from patients p
      where p.company_id = app_company() and p.external_id = r.e and p.external_id <> '' and p.archived_at is null and not p.is_test
      limit 3
    ) x
    where app_patient() is null and r.e <> ''
    union all
    select r.n, x.patient_id, false
    from jsonb_to_recordset(rows) as r(n int, f text, l text, b date, m text, p text[], a boolean)
    cross join lateral (
      select p.patient_id from patients p
      where p.company_id = app_company()
        and patient_key(p.first_name, p.last_name, p.birth_date) = patient_key(r.f, r.l, r.b)
        and p.archived_at is null and p.birth_date is not null and p.verified and not p.is_test and not p.anonymous
        and (r.a or r.m <> '' and lower(p.email) = lower(r.m)
          or exists (select from patient_phones f
            where f.company_id = p.company_id and f.patient_id = p.patient_id and f.phone = any(r.p)))
      limit 3
    ) x
    where app_patient() is null;
  end;

-- Appointments that the rows of a file may be of, and what is in the way of each: one appointment, or a busy time of the provider's external calendar
-- ('calendar', without an appointment). `rows`: an array of {n, x: number of the appointment, p: patient,
-- d: provider, s: start, e: end}. What is in the way is what provider_busy says, without holds. Busy times do not overlap: the last one that begins before the end decides. By the indexes that migration 021 has made for it:
-- "company_id + 0" keeps the planner from others.
create function match_appointments(rows jsonb) returns table (n int, how text, appointment_id bigint, doctor_id bigint,
    starts_at timestamptz, ends_at timestamptz, cancelled boolean, first_name text, last_name text, birth_date date, external_id text)
  language sql stable security definer set search_path = public
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  begin atomic
    select f.n, f.how, a.appointment_id, a.doctor_id, a.starts_at, a.ends_at, a.cancelled, p.first_name, p.last_name, p.birth_date,
      p.external_id
    from (
      select r.n, 'id' as how, x.appointment_id
      from jsonb_to_recordset(rows) as r(n int, x text)
      cross join lateral (
        (select a.appointment_id from appointments a
          where a.company_id + 0 = app_company() and a.external_id = r.x and a.external_id <> '' and a.archived_at is null
          limit 20)
        union
        select a.appointment_id from appointments a
        where a.company_id + 0 = app_company() and a.appointment_uid = r.x and a.archived_at is null
      ) x
      where r.x <> ''
      union all
      select r.n, 'start', x.appointment_id
      from jsonb_to_recordset(rows) as r(n int, p bigint, d bigint, s timestamptz)
      cross join lateral (
        select a.appointment_id from appointments a
        where a.company_id + 0 = app_company() and a.doctor_id = r.d and a.starts_at = r.s and a.patient_id + 0 = r.p
          and a.archived_at is null
        limit 20
      ) x
      union all
      select r.n, 'busy', x.appointment_id
      from jsonb_to_recordset(rows) as r(n int, d bigint, s timestamptz, e timestamptz)
      cross join lateral (
        select a.appointment_id from appointments a
        where a.company_id + 0 = app_company() and a.doctor_id = r.d and a.starts_at < r.e and a.starts_at > r.s - interval '600 minutes'
          and a.ends_at > r.s and not a.cancelled and not a.immediate and a.archived_at is null
        limit 1
      ) x
      where r.d is not null
    ) f
    cross join lateral (
      select * from appointments b where b.appointment_id = f.appointment_id and b.company_id + 0 = app_company() limit 1
    ) a
    join patients p on p.patient_id = a.patient_id
    where app_patient() is null
    union all
    select r.n, 'calendar', null, r.d, null, null, null, null, null, null, null
    from jsonb_to_recordset(rows) as r(n int, d bigint, s timestamptz, e timestamptz)
    where app_patient() is null and r.s < (
      select b.ends_at from busy_times b
      where b.company_id = app_company() and b.user_id = r.d and b.starts_at < r.e
      order by b.starts_at desc limit 1);
  end;

-- The earlier line of an import's file that takes a time of each line. `spans`: an array of {l: line, d: provider, s: start, e: end, f: first day, u: last
-- day}. A function, since overlaps are not searched by an index under row-level security.
create function taken_spans(import bigint, spans jsonb) returns table (line bigint, earlier bigint)
  language sql stable security definer set search_path = public
  set enable_seqscan = off
  begin atomic
    select r.l, x.line
    from jsonb_to_recordset(spans) as r(l bigint, d bigint, s timestamptz, e timestamptz, f date, u date)
    cross join lateral (
      select n.line from import_spans n
      where n.company_id + 0 = app_company() and n.import_id + 0 = import and n.doctor_id = r.d
        and n.during && tstzrange(r.s, r.e) and n.days && daterange(r.f, r.u, '[]')
      limit 1
    ) x
    where app_patient() is null;
  end;
