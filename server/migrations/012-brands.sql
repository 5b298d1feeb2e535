-- Brands with several hosts, and the external providers that sign users in on their pages (decision 059).

drop function if exists allow_sign_up(text, boolean);

alter table brands drop constraint brands_pkey,
  add column brand_id bigint primary key default nextval('ids'),
  add column brand_name text not null default '',
  -- '#rrggbb', or '' for the usual one.
  add column color text not null default '' check (color ~ '^(#[0-9a-f]{6})?$'),
  add column version int not null default 0,
  add column created_at timestamptz not null default now();
update brands set brand_name = host;
alter table brands alter column created_at drop default;

create table brand_hosts (
  host text primary key check (host = lower(host)),
  brand_id bigint not null references brands on delete cascade
);
create index brand_hosts_brand on brand_hosts (brand_id);
insert into brand_hosts (host, brand_id) select lower(host), brand_id from brands on conflict do nothing;
delete from brands b where not exists (select from brand_hosts h where h.brand_id = b.brand_id);
alter table brands drop column host, drop column providers;
create index brands_name on brands (brand_name collate name_order, brand_id);
create index brands_created on brands (created_at, brand_id);

-- Small pictures for pages before the sign-in. The uid is a hash of the bytes.
create table brand_logos (
  logo_uid text primary key check (logo_uid ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  content bytea not null
);
alter table brands add column logo_uid text references brand_logos;
create index brands_logo on brands (logo_uid);

-- OpenID Connect providers. `client_secret` is sealed by a key of the installation.
create table brand_providers (
  provider_id bigint primary key default nextval('ids'),
  brand_id bigint not null references brands on delete cascade,
  position int not null,
  name text not null check (name ~ '^[a-z0-9-]{1,50}$'),
  class text not null,
  description text not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  -- The domains of emails that it may vouch for; empty = all.
  email_domains text[] not null default '{}',
  logo_uid text references brand_logos,
  unique (brand_id, name)
);
create index brand_providers_logo on brand_providers (logo_uid);

-- Sign-ins that a provider has been asked for, each for one answer to the same browser.
create table external_sign_ins (
  state_hash bytea primary key,
  browser_hash bytea not null,
  provider_id bigint not null references brand_providers on delete cascade,
  -- Nonce, code verifier and redirect address, sealed by a key of the installation.
  sealed bytea not null,
  expires_at timestamptz not null
);
create index external_sign_ins_provider on external_sign_ins (provider_id);
create index external_sign_ins_over on external_sign_ins (expires_at);

-- `external_provider` is the issuer: a subject is unique within it only.
comment on column users.external_provider is 'issuer';

do $$
declare t text;
begin
  foreach t in array array['brands', 'brand_hosts', 'brand_logos', 'brand_providers', 'external_sign_ins'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('grant select, insert, update, delete on %I to app_user', t);
  end loop;
  -- A Super edits brands; the pages before the sign-in read them.
  foreach t in array array['brands', 'brand_hosts', 'brand_logos', 'brand_providers'] loop
    execute format('create policy installation on %I for all to app_user using ((select app_is(''super'')))', t);
    execute format('create policy unauthenticated on %I for select to app_user using ((select app_is(''unauthenticated'')))', t);
  end loop;
end $$;
create policy unauthenticated on external_sign_ins for all to app_user using ((select app_is('unauthenticated')));
-- Ends sign-ins that have begun at a provider that changes.
create policy installation on external_sign_ins for all to app_user using ((select app_is('super')));
grant select, delete on external_sign_ins to roomside_definer;

alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code', 'second-factor', 'passkeys',
    'sign-up', 'sign-up-address', 'sign-up-site', 'external'));

drop index audit_log_signed;
create index audit_log_signed on audit_log (company_id, occurred_at, audit_id)
  where action in ('login', 'completeSignIn', 'completeSignInWithPasskey', 'passkeySignIn', 'oneTimeLogin', 'passwordReset',
    'confirmSignUp', 'finishExternalSignIn', 'endOwnSignIn', 'logout', 'logoutEverywhere', 'joinAsGuest');
