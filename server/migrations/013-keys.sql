-- Keys at rest. Whatever SECRET_KEY seals is a key; the keys seal everything else (platform/keys.ts).

-- The keys of the whole installation, sealed by the key that follows from SECRET_KEY. The first start makes them; they are
-- the check that SECRET_KEY is the right one.
create table installation_keys (
  purpose text primary key check (purpose in ('lookup', 'sign-in', 'audit')),
  sealed bytea not null
);
alter table installation_keys enable row level security;
alter table installation_keys force row level security;
create policy installation on installation_keys for all to app_user using ((select app_is('installation')));
grant select, insert, update on installation_keys to app_user;

-- One key of a company seals what is written; superseded ones still open what nothing has sealed again yet. A row whose
-- `sealed` is empty stands for values of an earlier format.
create table data_keys (
  key_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  sealed bytea not null,
  created_at timestamptz not null,
  superseded_at timestamptz,
  -- The transaction that made it: until that has ended the key may still vanish, so no process remembers it.
  made_in xid8 default pg_current_xact_id()
);
create unique index data_keys_current on data_keys (company_id) where superseded_at is null;
create index data_keys_superseded on data_keys (company_id) where superseded_at is not null;

-- The table's owner is no superuser everywhere, and sees rows only while the policies do not bind the owner.
alter table companies no force row level security;
insert into data_keys (company_id, sealed, created_at, superseded_at, made_in)
  select company_id, '', created_at, created_at, null from companies;
alter table companies force row level security;

alter table data_keys enable row level security;
alter table data_keys force row level security;
create policy tenant on data_keys for all to app_user
  using (company_id = (select app_company()) or (select app_is('installation')));
grant select, insert, update, delete on data_keys to app_user;

-- The first byte of a sealed value is its format; 1 = sealed by a key that followed from SECRET_KEY directly.
alter table appointments alter column code_cipher type bytea using '\x01'::bytea || code_cipher;
