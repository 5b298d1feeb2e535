-- What is due, found by the clock; whether it is still due is judged by the server (features/notifications/judge.ts). Ids only,
-- for job transactions. `due_at` names the notification: a moved appointment has another reminder.

-- Reminders: remind_before_min before the start, none if the start was set nearer than that, and one for one start, also
-- when the clinic changes how long before it is sent.
create function due_reminders(at timestamptz) returns table (company_id bigint, appointment_id bigint, due_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, a.appointment_id, a.starts_at - make_interval(mins => c.remind_before_min)
    from appointments a join companies c on c.company_id = a.company_id
    where a.archived_at is null and not a.cancelled and not a.immediate and not c.disabled
      and a.starts_at > at and a.starts_at <= at + interval '90 minutes'
      and a.starts_at - make_interval(mins => c.remind_before_min) <= at
      and coalesce(a.start_set_at, a.created_at) <= a.starts_at - make_interval(mins => c.remind_before_min)
      -- Imported without reminders: not before the patient was sent an invitation or a new time.
      and (not a.no_reminder or exists (select 1 from notification_logs n where n.appointment_id = a.appointment_id
        and n.kind in ('invitation', 'newTime') and n.state <> 'dropped'))
      and not exists (select 1 from notification_logs n where n.appointment_id = a.appointment_id and n.kind = 'reminder'
        and (n.due_at = a.starts_at - make_interval(mins => c.remind_before_min)
          or n.state <> 'dropped' and n.created_at >= coalesce(a.start_set_at, a.created_at)));
  end;

-- Nudges: patients who have waited notify_users_min without a provider, once per arrival, also when the nudge was dropped
-- because the provider came before it was sent. Handed over
-- to another provider, a patient is announced again (announced_at), and that provider's users are nudged.
create function due_nudges(at timestamptz) returns table (company_id bigint, appointment_id bigint, due_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, v.appointment_id, v.announced_at + make_interval(mins => c.notify_users_min)
    from visits v join companies c on c.company_id = v.company_id
    where v.patient_present_at is not null and v.provider_present_at is null and v.announced_at is not null
      and c.notify_users_min > 0 and not c.disabled
      and v.announced_at + make_interval(mins => c.notify_users_min) <= at
      and not exists (select 1 from notification_logs n where n.appointment_id = v.appointment_id and n.kind = 'nudge'
        and n.due_at = v.announced_at + make_interval(mins => c.notify_users_min))
      -- A member of staff was there a moment ago: they reload, or are about to come back.
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id and p.role_id <> 'P'
        and p.left_at > at - make_interval(mins => c.notify_users_min));
  end;

-- Notifications whose time to wait is over.
create function due_held_notifications(at timestamptz) returns table (company_id bigint, notification_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select n.company_id, n.notification_id from notification_logs n
    where n.state = 'queued' and n.held_until is not null and n.held_until <= at;
  end;

-- Notifications that should have left long ago.
create function overdue_notifications(due_before timestamptz) returns table (company_id bigint, notification_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select n.company_id, n.notification_id from notification_logs n where n.state = 'queued' and n.due_at < due_before;
  end;

-- How many notifications are due and neither sent nor given up, and since when the oldest one is due. For the metrics.
create function undelivered_notifications(at timestamptz, out undelivered bigint, out oldest timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select count(*), min(greatest(n.due_at, n.held_until)) from notification_logs n
    where n.state = 'queued' and n.due_at <= at and (n.held_until is null or n.held_until <= at);
  end;

-- Notifications created since then that were given up, of all companies, per method. `company_id`: when they are of a single one.
-- Counts only, for the administrators of the installation.
create function failed_notifications(since timestamptz)
  returns table (method text, failed bigint, companies bigint, company_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select n.method, count(*), count(distinct n.company_id),
      case when count(distinct n.company_id) = 1 then min(n.company_id) end
    from notification_logs n where n.state = 'failed' and n.created_at > since
    group by n.method order by n.method;
  end;
