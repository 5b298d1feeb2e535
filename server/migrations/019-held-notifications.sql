-- A new time set by drag and drop is sent once its Undo is over: until then the row waits, with what the patient knows.

alter table notification_logs
  -- Not sent before; null = a job sends it.
  add column held_until timestamptz,
  -- Where the appointment was when the patient was last told: a move back there needs no message.
  add column known_starts_at timestamptz,
  add column known_doctor_id bigint;
create index notification_logs_held on notification_logs (held_until) where state = 'queued' and held_until is not null;

-- Notifications whose time to wait is over; ids only, for job transactions.
create function due_held_notifications(at timestamptz) returns table (company_id bigint, notification_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select n.company_id, n.notification_id from notification_logs n
    where n.state = 'queued' and n.held_until is not null and n.held_until <= at;
  end;
grant create on schema public to roomside_definer;
alter function due_held_notifications(timestamptz) owner to roomside_definer;
revoke execute on function due_held_notifications(timestamptz) from public;
grant execute on function due_held_notifications(timestamptz) to app_user;
revoke create on schema public from roomside_definer;
