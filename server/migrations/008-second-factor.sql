-- Signed-in devices.

-- What a user reads about a sign-in: products' names and the first half of the network address. Empty for patients.
alter table sign_ins
  add column browser text not null default '',
  add column system text not null default '',
  add column network text not null default '';
create index sign_ins_user on sign_ins (user_id) where user_id is not null;

-- When the user last proved with their password or passkey that it is them, on this sign-in.
alter table sign_ins add column confirmed_at timestamptz;

-- Second factor. A user has one when `secret` is set, or has a passkey.

-- Ids and keys as the browser and its devices make them (WebAuthn); nothing here can be used to sign.
create table passkeys (
  passkey_id bigint primary key default nextval('ids'),
  user_id bigint not null references users on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- Challenges for passkeys, each for one signature. `user_id` null: a passkey of any user may sign.
create table passkey_challenges (
  challenge text primary key,
  purpose text not null check (purpose in ('add', 'sign-in')),
  user_id bigint references users on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_user on passkey_challenges (user_id);
create index passkey_challenges_over on passkey_challenges (expires_at);

-- The secret of an authenticator app, sealed by a key of the installation. `pending` is one whose first code has not been entered.
-- `last_step`: the time step of the last accepted code, so that none is accepted twice.
create table authenticators (
  user_id bigint primary key references users on delete cascade,
  secret bytea,
  pending bytea,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  check ((secret is null) = (confirmed_at is null))
);

create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Browsers in which a password alone signs in until `expires_at`, since a second factor was used in them.
create table trusted_devices (
  user_id bigint not null references users on delete cascade,
  device_hash bytea not null,
  expires_at timestamptz not null,
  primary key (user_id, device_hash)
);
create index trusted_devices_over on trusted_devices (expires_at);

-- Between the password, or a link, and the second factor.
create table sign_in_tickets (
  ticket_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  action text not null,
  remember boolean not null,
  attempts int not null default 0,
  expires_at timestamptz not null
);
create index sign_in_tickets_user on sign_in_tickets (user_id);
create index sign_in_tickets_over on sign_in_tickets (expires_at);

alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code', 'second-factor', 'passkeys'));

do $$
declare t text;
begin
  foreach t in array array['authenticators', 'passkeys', 'passkey_challenges', 'recovery_codes', 'trusted_devices',
    'sign_in_tickets'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    -- Signing in happens before a person is known.
    execute format('create policy unauthenticated on %I for all to app_user using ((select app_is(''unauthenticated'')))', t);
    -- My Account, and administrators: those of the users whom the transaction may see.
    execute format('create policy account on %I for all to app_user
      using (((select app_is(''company'')) or (select app_is(''super''))) and exists (select from users u where u.user_id = %I.user_id))', t, t);
    execute format('grant select, insert, update, delete on %I to app_user', t);
    execute format('grant select, delete on %I to roomside_definer', t);
  end loop;
end $$;
