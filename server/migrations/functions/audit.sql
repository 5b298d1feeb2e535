-- The chain over the audit log (platform/audit-chain.ts): the server computes the hashes, these read rows and store seals.
--
-- Planned once, it may be while these tables were empty: they use their indexes, however many rows there are. For the same
-- reason a row's seal is a subquery for that row, not a join. Log and seals are compared by time and id, so that each look-up
-- reads one partition.

-- What is sealed of a row.
create function audit_content(a audit_log) returns text language sql immutable
  return jsonb_build_array(a.audit_id, a.company_id, extract(epoch from a.occurred_at), a.actor, a.action, a.path, a.objects, a.address,
    a.request_id)::text;

-- At most so many committed rows that are not sealed yet, with the head of the chain. Only one transaction works at this at
-- a time, another one gets nothing. The time is text, since the server's has only milliseconds. `resume` goes to add_audit_seal when the batch is full. A database that was restored by
-- pg_restore counts its transactions from elsewhere: a sealer whose place lies in the future looks at all rows once;
-- `restored` looks for rows from the future (those of the old cluster) that were passed over.
create function unsealed_audit(max_rows int, restored boolean)
  returns table (audit_id bigint, occurred_at text, content text, resume xid8, last_no bigint, last_hash bytea)
  language plpgsql volatile security definer set search_path = public
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  s xid8; frontier xid8; ahead xid8; n int;
begin
  if not app_is('installation') then return; end if;
  select sealed_to into s from audit_sealer for update skip locked;
  if not found then return; end if;
  frontier := pg_snapshot_xmin(pg_current_snapshot());
  ahead := pg_snapshot_xmax(pg_current_snapshot());
  select seal_no, hash into last_no, last_hash from audit_seals order by seal_no desc limit 1;
  if s > ahead then
    return query select l.audit_id, l.occurred_at::text, audit_content(l), s, last_no, last_hash from audit_log l
      where (l.xid < frontier or l.xid >= ahead)
        and (select x.seal_no from audit_sealed x where x.occurred_at = l.occurred_at and x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
  elsif restored then
    return query select l.audit_id, l.occurred_at::text, audit_content(l), s, last_no, last_hash from audit_log l
      where l.xid >= ahead and (select x.seal_no from audit_sealed x where x.occurred_at = l.occurred_at and x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
    return;
  else
    return query select l.audit_id, l.occurred_at::text, audit_content(l), l.xid, last_no, last_hash from audit_log l
      where l.xid >= s and l.xid < frontier
        and (select x.seal_no from audit_sealed x where x.occurred_at = l.occurred_at and x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
  end if;
  get diagnostics n = row_count;
  if n < max_rows and s <> frontier then update audit_sealer set sealed_to = frontier; end if;
end $$;

-- Adds a seal over these rows, in the transaction that got them from unsealed_audit. `resume` null = the batch was not full.
create function add_audit_seal(no bigint, ids bigint[], times text[], hash bytea, resume xid8) returns void
  language plpgsql volatile security definer set search_path = public as $$
begin
  if not app_is('installation') then raise exception 'Only the sealer adds seals.'; end if;
  insert into audit_seals values (no, cardinality(ids), hash);
  insert into audit_sealed (audit_id, occurred_at, seal_no) select unnest(ids), unnest(times)::timestamptz, no;
  if resume is not null then update audit_sealer set sealed_to = resume; end if;
end $$;

-- Seals after a number, in order.
create function list_audit_seals(after_no bigint, max_rows int) returns table (seal_no bigint, row_count int, hash bytea)
  language sql stable security definer set search_path = public
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
  begin atomic
    select s.seal_no, s.row_count, s.hash from audit_seals s
    where s.seal_no > after_no and app_is('installation') order by s.seal_no limit max_rows;
  end;

-- The rows under some seals, in the order in which they are sealed; `content` null = the row is missing.
create function list_sealed_audit(first_no bigint, last_no bigint) returns table (seal_no bigint, content text)
  language sql stable security definer set search_path = public
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
  begin atomic
    select x.seal_no, (select audit_content(a) from audit_log a where a.occurred_at = x.occurred_at and a.audit_id = x.audit_id)
    from audit_sealed x
    where x.seal_no between first_no and last_no and app_is('installation') order by x.seal_no, x.audit_id;
  end;

-- The last seal.
create function audit_head() returns table (seal_no bigint, hash bytea)
  language sql stable security definer set search_path = public
  begin atomic
    select s.seal_no, s.hash from audit_seals s where app_is('installation') order by s.seal_no desc limit 1;
  end;
