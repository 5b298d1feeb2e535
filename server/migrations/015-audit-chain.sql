-- The chain over the audit log is keyed, in the server's process (platform/audit-chain.ts): who owns the database can change
-- rows, but cannot make a chain that fits. One seal for a batch of rows. The old chain ends; its rows are sealed again.

drop function restart_audit_sealer();
drop function first_broken_seal();
drop function seal_audit(int);
drop function audit_digest(bytea, audit_log);
drop table audit_sealer;
drop table audit_seals;

create table audit_seals (
  seal_no bigint primary key,
  row_count int not null check (row_count > 0),
  -- Of the seal before, this one's number and count, and the rows by audit_id.
  hash bytea not null check (octet_length(hash) = 32)
);
-- Which seal a row is under. No foreign keys: the check of the chain finds what is missing.
create table audit_sealed (
  audit_id bigint primary key,
  seal_no bigint not null
);
create index audit_sealed_no on audit_sealed (seal_no);
create trigger only_grows before update or delete or truncate on audit_seals for each statement execute function refuse_change();
create trigger only_grows before update or delete or truncate on audit_sealed for each statement execute function refuse_change();

-- Rows of all transactions before this one are sealed, or are in a batch that was full.
create table audit_sealer (
  only_one boolean primary key default true check (only_one),
  sealed_to xid8 not null
);
insert into audit_sealer (sealed_to) values ('0');

-- What is sealed of a row.
create function audit_content(a audit_log) returns text language sql immutable
  return jsonb_build_array(a.audit_id, a.company_id, extract(epoch from a.at), a.actor, a.action, a.path, a.objects, a.address,
    a.request_id)::text;

-- At most so many committed rows that are not sealed yet, with the head of the chain. Only one transaction works at this at
-- a time, another one gets nothing. `resume` goes to add_audit_seal when the batch is full. A database that was restored by
-- pg_restore counts its transactions from elsewhere: a sealer whose place lies in the future looks at all rows once;
-- `restored` looks for rows from the future (those of the old cluster) that were passed over.
create function unsealed_audit(max_rows int, restored boolean)
  returns table (audit_id bigint, content text, resume xid8, last_no bigint, last_hash bytea)
  language plpgsql volatile security definer set search_path = public as $$
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
    return query select l.audit_id, audit_content(l), s, last_no, last_hash from audit_log l
      where (l.xid < frontier or l.xid >= ahead)
        and (select x.seal_no from audit_sealed x where x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
  elsif restored then
    return query select l.audit_id, audit_content(l), s, last_no, last_hash from audit_log l
      where l.xid >= ahead and (select x.seal_no from audit_sealed x where x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
    return;
  else
    return query select l.audit_id, audit_content(l), l.xid, last_no, last_hash from audit_log l
      where l.xid >= s and l.xid < frontier
        and (select x.seal_no from audit_sealed x where x.audit_id = l.audit_id) is null
      order by l.xid, l.audit_id limit max_rows;
  end if;
  get diagnostics n = row_count;
  if n < max_rows and s <> frontier then update audit_sealer set sealed_to = frontier; end if;
end $$;

-- Adds a seal over these rows, in the transaction that got them from unsealed_audit. `resume` null = the batch was not full.
create function add_audit_seal(no bigint, ids bigint[], hash bytea, resume xid8) returns void
  language plpgsql volatile security definer set search_path = public as $$
begin
  if not app_is('installation') then raise exception 'Only the sealer adds seals.'; end if;
  insert into audit_seals values (no, cardinality(ids), hash);
  insert into audit_sealed select unnest(ids), no;
  if resume is not null then update audit_sealer set sealed_to = resume; end if;
end $$;

-- Seals after a number, in order.
create function list_audit_seals(after_no bigint, max_rows int) returns table (seal_no bigint, row_count int, hash bytea)
  language sql stable security definer set search_path = public
  begin atomic
    select s.seal_no, s.row_count, s.hash from audit_seals s
    where s.seal_no > after_no and app_is('installation') order by s.seal_no limit max_rows;
  end;

-- The rows under some seals, in the order in which they are sealed; `content` null = the row is missing.
create function list_sealed_audit(first_no bigint, last_no bigint) returns table (seal_no bigint, content text)
  language sql stable security definer set search_path = public
  begin atomic
    select x.seal_no, (select audit_content(a) from audit_log a where a.audit_id = x.audit_id)
    from audit_sealed x
    where x.seal_no between first_no and last_no and app_is('installation') order by x.seal_no, x.audit_id;
  end;

-- The last seal.
create function audit_head() returns table (seal_no bigint, hash bytea)
  language sql stable security definer set search_path = public
  begin atomic
    select s.seal_no, s.hash from audit_seals s where app_is('installation') order by s.seal_no desc limit 1;
  end;

-- Who reads the log: a role without a login, for the operator to grant.
grant usage on schema public to roomside_auditor;
grant select on audit_log, audit_seals, audit_sealed to roomside_auditor;
create policy read on audit_log for select to roomside_auditor using (true);

-- Planned once, it may be while these tables were empty: they go by their indexes, however many rows there are. For the same
-- reason a row's seal is a subquery for that row above, not a join.
do $$
declare f regprocedure; setting text;
begin
  foreach f in array array['unsealed_audit(int,boolean)', 'list_audit_seals(bigint,int)', 'list_sealed_audit(bigint,bigint)']::regprocedure[]
  loop
    foreach setting in array array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_bitmapscan'] loop
      execute format('alter function %s set %I = off', f, setting);
    end loop;
  end loop;
end $$;

do $$
declare f regprocedure;
begin
  grant select, insert on audit_seals, audit_sealed to roomside_definer;
  grant select, update on audit_sealer to roomside_definer;
  grant create on schema public to roomside_definer;
  foreach f in array array['unsealed_audit(int,boolean)', 'add_audit_seal(bigint,bigint[],bytea,xid8)',
    'list_audit_seals(bigint,int)', 'list_sealed_audit(bigint,bigint)', 'audit_head()']::regprocedure[]
  loop
    execute format('alter function %s owner to roomside_definer', f);
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to app_user', f);
  end loop;
  revoke create on schema public from roomside_definer;
end $$;
