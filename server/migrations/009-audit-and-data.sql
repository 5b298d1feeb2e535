-- What administrators see of the audit log (decision 057).

-- The ids in an audit row's objects, whatever they are of: one sequence gives all ids of the installation. `count` is not an id.
-- For an index: it must not change.
create function audit_ids(objects jsonb) returns bigint[] language sql immutable parallel safe
  return array(select (id #>> '{}')::numeric::bigint
    from jsonb_path_query(objects - 'count', '$.*[*] ? (@.type() == "number" && @ > 0 && @ < 9007199254740992)') id);

-- The user or patient of an actor such as 'A_12'; null for the system. For an index: it must not change.
create function audit_person(actor text) returns bigint language sql immutable parallel safe
  return substring(actor from '_([0-9]{1,15})$')::bigint;

create index audit_log_person on audit_log (company_id, audit_person(actor), occurred_at, audit_id);
-- Without a list of pending entries, which a search would read.
create index audit_log_ids on audit_log using gin (audit_ids(objects)) with (fastupdate = off);
create index audit_log_refused on audit_log (company_id, occurred_at, audit_id) where objects ? 'refused';
create index audit_log_signed on audit_log (company_id, occurred_at, audit_id)
  where action in ('login', 'completeSignIn', 'completeSignInWithPasskey', 'passkeySignIn', 'oneTimeLogin', 'passwordReset',
    'confirmSignUp', 'endOwnSignIn', 'logout', 'logoutEverywhere', 'joinAsGuest');

-- What the servers' checks of the chain have found, for the page of the log. The anchors outside of the database decide.
create table audit_state (
  only_one boolean primary key default true check (only_one),
  checked_at timestamptz,
  -- The last valid seal, and the time of its last row.
  verified_no bigint not null default 0,
  verified_to timestamptz,
  -- The first seal that is not valid; null = none.
  broken_no bigint,
  broken_at timestamptz
);
insert into audit_state default values;
grant select, update on audit_state to roomside_definer;
