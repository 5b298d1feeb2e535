-- Everything of one patient is found by company and patient: joining two records must not read whole tables.
create index appointments_of_patient on appointments (company_id, patient_id);
create index visits_patient on visits (company_id, patient_id);
create index ledger_patient on ledger (company_id, patient_id);
create index peers_patient on peers (company_id, patient_id);
create index chat_messages_patient on chat_messages (company_id, patient_id);
create index notification_logs_patient on notification_logs (company_id, patient_id) where patient_id is not null;
create index booking_requests_patient on booking_requests (company_id, patient_id);
create index sign_ins_patient on sign_ins (company_id, patient_id) where patient_id is not null;

-- As in 007, by company and patient.
create or replace function merge_patient(source bigint, target bigint, at timestamptz) returns void
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
