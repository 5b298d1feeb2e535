-- Deletes at most max_rows of each kind that nothing needs any more; returns the largest number it deleted of one kind. The
-- application itself may not delete them.
create function clean_up(at timestamptz, max_rows int) returns int
  language plpgsql volatile security definer set search_path = public as $$
declare
  n int; largest int := 0;
begin
  delete from sign_ins where sign_in_id in (
    select s.sign_in_id from sign_ins s where least(s.revoked_at, s.expires_at) < at - interval '30 days' limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from one_time_tokens where token_hash in (
    select t.token_hash from one_time_tokens t where t.expires_at < at - interval '1 day' limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from sign_in_tickets where ticket_hash in (
    select t.ticket_hash from sign_in_tickets t where t.expires_at < at limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from passkey_challenges where challenge in (
    select c.challenge from passkey_challenges c where c.expires_at < at limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from trusted_devices where ctid in (
    select t.ctid from trusted_devices t where t.expires_at < at limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from external_sign_ins where state_hash in (
    select e.state_hash from external_sign_ins e where e.expires_at < at limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from sign_ups where sign_up_uid in (
    select s.sign_up_uid from sign_ups s where s.expires_at < at limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  delete from idempotency_keys where ctid in (
    select k.ctid from idempotency_keys k where k.created_at < at - interval '24 hours' limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  -- Attendances keep the instance that they were on.
  delete from instances where instance_id in (
    select i.instance_id from instances i
    where coalesce(i.ended_at, i.heartbeat_at) < at - interval '30 days'
      and not exists (select 1 from peers p where p.instance_id = i.instance_id) limit max_rows);
  get diagnostics n = row_count;
  largest := greatest(largest, n);
  -- Only a demo has any: its page shows the latest.
  delete from outbox where outbox_id in (
    select o.outbox_id from outbox o
    where o.outbox_id <= (select x.outbox_id from outbox x order by x.outbox_id desc offset 1000 limit 1) limit max_rows);
  get diagnostics n = row_count;
  return greatest(largest, n);
end $$;

-- Deletes at most max_rows holds of before an instant; returns how many.
create function delete_holds(before timestamptz, max_rows int) returns int
  language plpgsql volatile security definer set search_path = public as $$
declare n int;
begin
  delete from holds where hold_uid in (select hold_uid from holds where created_at < before limit max_rows);
  get diagnostics n = row_count;
  return n;
end $$;
