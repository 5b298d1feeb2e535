-- The visits of an expired company that go on are found by who is in them or has just left.
create index peers_left on peers (company_id, left_at);

-- Requests for a new company whose email is not confirmed yet.
create table sign_ups (
  sign_up_uid text primary key check (sign_up_uid ~ '^[0-9a-f]{32}$'),
  -- Of the mailed link; null before the mail, and for an email that has an account.
  token_hash bytea unique,
  -- What was typed, with the hash of the password.
  sealed bytea not null,
  -- A keyed hash: limits the mails to one address.
  email_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  mailed_at timestamptz
);
create index sign_ups_email on sign_ups (email_hash, mailed_at);
create index sign_ups_expires on sign_ups (expires_at);
alter table sign_ups enable row level security;
alter table sign_ups force row level security;
create policy unauthenticated on sign_ups for all to app_user using ((select app_is('unauthenticated')));
grant select, insert, update, delete on sign_ups to app_user;
grant select, delete on sign_ups to roomside_definer;
-- A confirmed sign-up creates a company.
grant usage on sequence ids to roomside_definer;

alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code', 'second-factor', 'passkeys',
    'sign-up', 'sign-up-address', 'sign-up-site'));
