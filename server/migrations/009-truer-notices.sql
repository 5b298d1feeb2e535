-- One reminder for one time of a visit, also when the clinic changes how long before it is sent; holds go in batches.

-- As in 007, and not again for a start that has been reminded of.
create or replace function due_reminders(at timestamptz)
  returns table (company_id bigint, appointment_id bigint, due_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, a.appointment_id, a.starts_at - make_interval(mins => c.remind_before_min)
    from appointments a join companies c on c.company_id = a.company_id
    where a.archived_at is null and not a.cancelled and not a.immediate and not c.disabled
      and a.starts_at > at and a.starts_at <= at + interval '90 minutes'
      and a.starts_at - make_interval(mins => c.remind_before_min) <= at
      and coalesce(a.start_set_at, a.created_at) <= a.starts_at - make_interval(mins => c.remind_before_min)
      and not exists (select 1 from notification_logs n where n.appointment_id = a.appointment_id and n.kind = 'reminder'
        and (n.due_at = a.starts_at - make_interval(mins => c.remind_before_min)
          or n.state <> 'dropped' and n.created_at >= coalesce(a.start_set_at, a.created_at)));
  end;

-- As in 007, at most so many; answers how many.
drop function forget_holds(timestamptz);
create function forget_holds(before timestamptz, most int) returns int
  language plpgsql volatile security definer set search_path = public as $$
declare n int;
begin
  delete from holds where hold_uid in (select hold_uid from holds where created_at < before limit most);
  get diagnostics n = row_count;
  return n;
end $$;
grant create on schema public to roomside_definer;
alter function forget_holds(timestamptz, int) owner to roomside_definer;
revoke execute on function forget_holds(timestamptz, int) from public;
grant execute on function forget_holds(timestamptz, int) to app_user;
revoke create on schema public from roomside_definer;
