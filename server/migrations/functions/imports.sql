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
-- each row and way. `rows`: an array of {n, e: external id, f, l: names, b: birth date, m: email, p: phones}. By indexes in any case: what the
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
    from jsonb_to_recordset(rows) as r(n int, f text, l text, b date, m text, p text[])
    cross join lateral (
      select p.patient_id from patients p
      where p.company_id = app_company()
        and patient_key(p.first_name, p.last_name, p.birth_date) = patient_key(r.f, r.l, r.b)
        and p.archived_at is null and p.birth_date is not null and p.verified and not p.is_test and not p.anonymous
        and (r.m <> '' and lower(p.email) = lower(r.m)
          or exists (select from patient_phones f
            where f.company_id = p.company_id and f.patient_id = p.patient_id and f.phone = any(r.p)))
      limit 3
    ) x
    where app_patient() is null;
  end;
