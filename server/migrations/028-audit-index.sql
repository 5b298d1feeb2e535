-- The ids in an audit row's objects that the log is searched by: of patients and their visits, under whatever name. `count` is not an id,
-- and listed users and companies are not searched: fifty entries less for each page of these lists. For an index: it must not change.
create function audit_record_ids(objects jsonb) returns bigint[] language sql immutable parallel safe
  return array(select (id #>> '{}')::numeric::bigint
    from jsonb_path_query(objects - array['count', 'users', 'companies'],
      '$.*[*] ? (@.type() == "number" && @ > 0 && @ < 9007199254740992)') id);

-- Without a list of pending entries, which a search would read.
create index audit_log_record_ids on audit_log using gin (audit_record_ids(objects)) with (fastupdate = off);
drop index audit_log_ids;
drop function audit_ids(jsonb);
