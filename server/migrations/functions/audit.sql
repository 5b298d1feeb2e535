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

-- Whether an action signs someone in or out. Inlined, so that the index of these actions fits.
create function audit_signs(action text) returns boolean language sql immutable parallel safe
  return action in ('login', 'completeSignIn', 'completeSignInWithPasskey', 'passkeySignIn', 'oneTimeLogin', 'passwordReset',
    'confirmSignUp', 'finishExternalSignIn', 'endOwnSignIn', 'logout', 'logoutEverywhere', 'joinAsGuest');

-- What the log's page asks for, as a condition with constants, so that the planner sees which index and which months fit. A company's
-- administrators see the rows of their company, a Super those without a company; everyone else none.
create function audit_condition(from_at timestamptz, to_at timestamptz, person bigint, ids bigint[], kind text, actions text[])
  returns text language plpgsql stable as $$
declare
  c text;
begin
  if app_is('company') and app_company() is not null then c := format('a.company_id = %s', app_company());
  elsif app_is('super') then c := 'a.company_id is null';
  else return 'false';
  end if;
  if from_at is not null then c := c || format(' and a.occurred_at >= %L::timestamptz', from_at); end if;
  if to_at is not null then c := c || format(' and a.occurred_at < %L::timestamptz', to_at); end if;
  if person is not null then c := c || format(' and audit_person(a.actor) = %s', person); end if;
  if ids is not null then c := c || format(' and audit_ids(a.objects) && %L::text[]', ids); end if;
  if kind = 'refused' then c := c || ' and a.objects ? ''refused''';
  elsif kind = 'signed' then
    c := c || ' and audit_signs(a.action) and not (a.objects ? ''refused'')';
  elsif kind is not null then
    c := c || format(' and a.action = any(%L::text[]) and not (a.objects ? ''refused'')', actions);
  end if;
  return c;
end $$;

-- Rows of the log, newest first, beyond a row, or before it with `backwards` (then oldest first).
create function list_audit(from_at timestamptz, to_at timestamptz, person bigint, ids bigint[], kind text, actions text[],
    key_at timestamptz, key_id bigint, backwards boolean, skip int, max_rows int)
  returns table (audit_id bigint, occurred_at timestamptz, actor text, action text, objects jsonb, address text)
  language plpgsql stable security definer set search_path = public as $$
begin
  return query execute format(
    'select a.audit_id, a.occurred_at, a.actor, a.action, a.objects, a.address from audit_log a where %s %s
     order by a.occurred_at %s, a.audit_id %3$s limit %s offset %s',
    audit_condition(from_at, to_at, person, ids, kind, actions),
    case when key_at is null then '' else format('and a.occurred_at %s= %L::timestamptz and (a.occurred_at, a.audit_id) %1$s (%2$L::timestamptz, %s)',
      case when backwards then '>' else '<' end, key_at, key_id) end,
    case when backwards then 'asc' else 'desc' end, max_rows, skip);
end $$;

-- The number of these rows, at most `up_to`.
create function count_audit(from_at timestamptz, to_at timestamptz, person bigint, ids bigint[], kind text, actions text[], up_to int)
  returns int language plpgsql stable security definer set search_path = public as $$
declare
  n int;
begin
  execute format('select count(*) from (select from audit_log a where %s limit %s) found',
    audit_condition(from_at, to_at, person, ids, kind, actions), up_to) into n;
  return n;
end $$;

-- Notes a check of the seals after one up to another. `broken` is the first seal that is not valid. A broken seal stays noted until a
-- check that includes it finds it whole.
create function note_audit_check(at timestamptz, after_no bigint, head_no bigint, broken bigint) returns void
  language plpgsql volatile security definer set search_path = public as $$
begin
  if not app_is('installation') then raise exception 'Only the check of the chain notes its result.'; end if;
  update audit_state s set
    checked_at = at,
    verified_no = greatest(s.verified_no, head_no),
    verified_to = case when head_no >= s.verified_no and head_no > 0
      then coalesce((select max(x.occurred_at) from audit_sealed x where x.seal_no = head_no), s.verified_to) else s.verified_to end,
    broken_no = case when broken is not null then least(s.broken_no, broken)
      when s.broken_no > after_no and s.broken_no <= head_no then null else s.broken_no end,
    broken_at = case when broken is not null then coalesce(s.broken_at, at)
      when s.broken_no > after_no and s.broken_no <= head_no then null else s.broken_at end;
end $$;

-- The result of the last check.
create function get_audit_state() returns table (checked_at timestamptz, verified_to timestamptz, broken_no bigint, broken_at timestamptz)
  language sql stable security definer set search_path = public
  begin atomic
    select s.checked_at, s.verified_to, s.broken_no, s.broken_at from audit_state s where app_is('company') or app_is('super');
  end;
