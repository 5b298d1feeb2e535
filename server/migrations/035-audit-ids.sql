-- The ids in an audit row's objects that the log is searched by, as texts: of patients and their visits, under whatever name. `count` is not
-- an id, and listed users and companies are not searched. One expression without a subquery, so that it is inlined: calling the function
-- before took most of the time of writing a row. For an index: it must not change.
create function audit_ids(objects jsonb) returns text[] language sql immutable parallel safe
  return string_to_array(btrim(jsonb_path_query_array(objects - '{count,users,companies}'::text[], '$.*[*] ? (@ > 0)')::text, '[]'), ', ');

-- Without a list of pending entries, which a search would read.
create index audit_log_ids on audit_log using gin (audit_ids(objects)) with (fastupdate = off);
drop index audit_log_record_ids;
drop function audit_record_ids(jsonb);
