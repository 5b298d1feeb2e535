-- Upkeep: what is over is cleaned up, and the functions that needed a second look.

-- When a sign-in came to its end, whichever way.
create index sign_ins_over on sign_ins (least(revoked_at, expires_at));
create index one_time_tokens_over on one_time_tokens (expires_at);
create index idempotency_keys_over on idempotency_keys (created_at);
-- Deleting an instance looks for its peers.
create index peers_by_instance on peers (instance_id);
create index notification_logs_queued on notification_logs (due_at) where state = 'queued';

-- Deletes at most `most` rows of each kind that nothing needs any more; answers the largest number it deleted of one
-- kind. The application itself may not delete them.
create function clean_up(at timestamptz, most int) returns int
  language plpgsql volatile security definer set search_path = public as $$
declare
  n int; largest int := 0;
begin
  delete from sign_ins where sign_in_id in (
    select s.sign_in_id from sign_ins s where least(s.revoked_at, s.expires_at) < at - interval '30 days' limit most);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from one_time_tokens where token_hash in (
    select t.token_hash from one_time_tokens t where t.expires_at < at - interval '1 day' limit most);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from idempotency_keys where (company_id, actor, key) in (
    select k.company_id, k.actor, k.key from idempotency_keys k where k.created_at < at - interval '24 hours' limit most);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  -- Stays keep the instance that they were on.
  delete from instances where instance_id in (
    select i.instance_id from instances i
    where coalesce(i.ended_at, i.heartbeat_at) < at - interval '30 days'
      and not exists (select 1 from peers p where p.instance_id = i.instance_id) limit most);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  -- Only a demo has any: what its page shows of the latest.
  delete from outbox where outbox_id in (
    select o.outbox_id from outbox o
    where o.outbox_id <= (select x.outbox_id from outbox x order by x.outbox_id desc offset 1000 limit 1) limit most);
  get diagnostics n = row_count;
  return greatest(largest, n);
end $$;

-- Notices that should have left long ago; ids only, for job transactions.
create function overdue_notifications(due_before timestamptz) returns table (company_id bigint, notification_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select n.company_id, n.notification_id from notification_logs n where n.state = 'queued' and n.due_at < due_before;
  end;

-- The words that a person's password must not be.
create function auth_personal_words(id bigint) returns text[] language sql stable security definer set search_path = public
  begin atomic
    select array[u.first_name, u.last_name, u.email] from users u where u.user_id = id and app_is('unauthenticated');
  end;

drop function auth_set_password(bigint, text);
create function auth_set_password(id bigint, hash text, at timestamptz) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update users set password_hash = hash where user_id = id and app_is('unauthenticated');
    -- Links of earlier requests end with the first that is used.
    update one_time_tokens set used_at = at where user_id = id and used_at is null and app_is('unauthenticated');
  end;

-- As in 005, which asked in three statements what one can answer: every request begins with this.
create or replace function open_session(sign_in bigint, at timestamptz, code_lives interval) returns table (
  kind text, company_id bigint, user_id bigint, is_super boolean, role_id text, first_name text, last_name text,
  patient_id bigint, appointment_id bigint, appointment_uid text, serial text, time_zone text, currency text)
  language plpgsql volatile security definer set search_path = public as $$
declare
  was text;
begin
  select s.kind, s.serial, s.patient_id, s.appointment_id, s.user_id, coalesce(s.company_id, u.company_id),
    coalesce(u.is_super, false), coalesce(u.role_id, 'P'), u.first_name, u.last_name, c.time_zone, c.currency
  into kind, serial, patient_id, appointment_id, user_id, company_id,
    is_super, role_id, first_name, last_name, time_zone, currency
  from sign_ins s left join users u on u.user_id = s.user_id
    left join companies c on c.company_id = coalesce(s.company_id, u.company_id)
  where s.sign_in_id = sign_in and s.revoked_at is null and s.expires_at > at
    and not coalesce(u.disabled, false) and not coalesce(c.disabled, false);
  if not found then return; end if;
  if kind = 'patient' then
    select p.first_name, p.last_name, a.appointment_uid into first_name, last_name, appointment_uid
    from appointments a left join visits v on v.appointment_id = a.appointment_id, patients p
    where a.appointment_id = open_session.appointment_id and p.patient_id = open_session.patient_id
      and p.archived_at is null and not a.cancelled and a.archived_at is null
      and at < greatest(a.ends_at, v.ended_at) + code_lives;
    if not found then return; end if;
    was := set_config('app.patient', patient_id::text, true);
  end if;
  was := set_config('app.kind', case when kind = 'patient' then kind when is_super then 'super' else 'company' end, true);
  was := set_config('app.company', coalesce(company_id::text, ''), true);
  return next;
end $$;

-- A restored database counts its transactions anew, so the sealer would wait at a number of the old one's for years.
-- Seals what came with the restore and begins at the start; what is sealed stays as it is. The owner's alone.
create function restart_audit_sealer() returns int language plpgsql security definer set search_path = public as $$
declare
  s audit_sealer; a audit_log; n int := 0;
begin
  select * into s from audit_sealer for update;
  for a in
    select l.* from audit_log l
    where l.xid >= pg_snapshot_xmax(pg_current_snapshot())
      and not exists (select 1 from audit_seals x where x.audit_id = l.audit_id)
    order by l.xid, l.audit_id
  loop
    s.last_no := s.last_no + 1;
    s.last_hash := audit_digest(s.last_hash, a);
    insert into audit_seals values (s.last_no, a.audit_id, s.last_hash);
    n := n + 1;
  end loop;
  update audit_sealer set sealed_to = '0', last_no = s.last_no, last_hash = s.last_hash;
  return n;
end $$;

do $$
declare f regprocedure;
begin
  grant delete on sign_ins, one_time_tokens, idempotency_keys, instances, outbox to roomside_definer;
  grant create on schema public to roomside_definer;
  foreach f in array array['clean_up(timestamptz,int)', 'overdue_notifications(timestamptz)', 'auth_personal_words(bigint)',
    'auth_set_password(bigint,text,timestamptz)']::regprocedure[]
  loop
    execute format('alter function %s owner to roomside_definer', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to app_user', f);
  end loop;
  revoke execute on function restart_audit_sealer() from public;
  grant execute on function restart_audit_sealer() to current_user;
  alter function restart_audit_sealer() owner to roomside_definer;
  revoke create on schema public from roomside_definer;
end $$;
