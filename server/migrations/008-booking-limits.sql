-- Limits on what strangers may ask of the booking page, and requests that are sent twice.

-- Questions for free times, and holds, count by address.
alter table sign_in_failures drop constraint sign_in_failures_scope_check;
alter table sign_in_failures add constraint sign_in_failures_scope_check check (scope in
  ('account', 'address', 'code-address', 'code-global', 'reset', 'email', 'booking', 'booking-slots', 'booking-holds'));

create index patients_unverified on patients (company_id, patient_id) where not verified and archived_at is null;

-- How many visits ahead nobody at the clinic has recognised yet, booked with this email or with this phone, whichever are
-- more. Past the fence around patients, for those who are booking: a number, never whose they are.
create function unverified_ahead(mail text, number text, at timestamptz) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select greatest(
      count(*) filter (where mail <> '' and lower(p.email) = lower(mail)),
      count(*) filter (where exists (select from patient_phones f
        where f.company_id = p.company_id and f.patient_id = p.patient_id and f.phone = number)))::int
    from patients p join appointments a on a.company_id = p.company_id and a.patient_id = p.patient_id
    where p.company_id = app_company() and app_is('booking') and not p.verified and p.archived_at is null
      and a.starts_at > at and not a.cancelled and a.archived_at is null;
  end;

-- A request for a time is sent by nobody in particular: the key alone tells that it is the same one.
create policy stranger on idempotency_keys for all to app_user
  using (company_id = (select app_company()) and (select app_is('booking')) and actor = 'anyone');

grant create on schema public to roomside_definer;
alter function unverified_ahead(text, text, timestamptz) owner to roomside_definer;
revoke execute on function unverified_ahead(text, text, timestamptz) from public;
grant execute on function unverified_ahead(text, text, timestamptz) to app_user;
revoke create on schema public from roomside_definer;
