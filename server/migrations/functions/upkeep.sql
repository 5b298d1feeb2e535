-- Deletes at most max_rows of each kind that nothing needs any more; returns the largest number it deleted of one kind. The
-- application itself may not delete them.
create function clean_up(at timestamptz, max_rows int) returns int
  language sql volatile security definer set search_path = public as $$
with
  deleted_sign_ins as (delete from sign_ins where sign_in_id in (
    select s.sign_in_id from sign_ins s where least(s.revoked_at, s.expires_at) < at - interval '30 days' limit max_rows) returning 1),
  deleted_tokens as (delete from one_time_tokens where token_hash in (
    select t.token_hash from one_time_tokens t where t.expires_at < at - interval '1 day' limit max_rows) returning 1),
  deleted_tickets as (delete from sign_in_tickets where ticket_hash in (
    select t.ticket_hash from sign_in_tickets t where t.expires_at < at limit max_rows) returning 1),
  deleted_challenges as (delete from passkey_challenges where challenge in (
    select c.challenge from passkey_challenges c where c.expires_at < at limit max_rows) returning 1),
  deleted_devices as (delete from trusted_devices where ctid in (
    select t.ctid from trusted_devices t where t.expires_at < at limit max_rows) returning 1),
  deleted_external_sign_ins as (delete from external_sign_ins where state_hash in (
    select e.state_hash from external_sign_ins e where e.expires_at < at limit max_rows) returning 1),
  deleted_sign_ups as (delete from sign_ups where sign_up_uid in (
    select s.sign_up_uid from sign_ups s where s.expires_at < at limit max_rows) returning 1),
  deleted_keys as (delete from idempotency_keys where ctid in (
    select k.ctid from idempotency_keys k where k.created_at < at - interval '24 hours' limit max_rows) returning 1),
  -- Attendances keep the instance that they were on.
  deleted_instances as (delete from instances where instance_id in (
    select i.instance_id from instances i
    where coalesce(i.ended_at, i.heartbeat_at) < at - interval '30 days'
      and not exists (select 1 from peers p where p.instance_id = i.instance_id) limit max_rows) returning 1),
  -- Only a demo has any: its page shows the latest.
  deleted_outbox as (delete from outbox where outbox_id in (
    select o.outbox_id from outbox o
    where o.outbox_id <= (select x.outbox_id from outbox x order by x.outbox_id desc offset 1000 limit 1) limit max_rows) returning 1)
select greatest(
  (select count(*) from deleted_sign_ins), (select count(*) from deleted_tokens), (select count(*) from deleted_tickets),
  (select count(*) from deleted_challenges), (select count(*) from deleted_devices),
  (select count(*) from deleted_external_sign_ins), (select count(*) from deleted_sign_ups),
  (select count(*) from deleted_keys), (select count(*) from deleted_instances), (select count(*) from deleted_outbox))::int
$$;

-- Deletes at most max_rows holds of before an instant; returns how many.
create function delete_holds(before timestamptz, max_rows int) returns int
  language plpgsql volatile security definer set search_path = public as $$
declare n int;
begin
  delete from holds where hold_uid in (select hold_uid from holds where created_at < before limit max_rows);
  get diagnostics n = row_count;
  return n;
end $$;
