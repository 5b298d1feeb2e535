-- Administration of users.

-- A link to pick the first password.
alter table one_time_tokens drop constraint one_time_tokens_purpose_check,
  add constraint one_time_tokens_purpose_check check (purpose in ('login', 'reset', 'invite'));

-- Sending an invitation again is slowed down like other mails.
alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code'));

-- Names and email for the search; the application sets it (platform/user-search.ts).
alter table users
  add column search text not null default '',
  -- The order of the user list. A column, since `lower` is not leakproof: under row-level security an index of it sorts, but does not begin at a page.
  add column email_order text not null generated always as (lower(email)) stored,
  -- When a link to pick the first password was last sent.
  add column invited_at timestamptz;
update users set search = lower(first_name || ' ' || last_name || ' ' || first_name || ' ' || email);
create index users_search on users using gin (search gin_trgm_ops);

-- The orders of the user list, of a company and of the installation.
create index users_first_name on users (company_id, first_name collate name_order, last_name collate name_order, user_id);
create index users_email_order on users (company_id, email_order, user_id);
create index users_role on users (company_id, role_id, user_id);
create index users_created on users (company_id, created_at, user_id);
create index users_all_last_name on users (last_name collate name_order, first_name collate name_order, user_id);
create index users_all_first_name on users (first_name collate name_order, last_name collate name_order, user_id);
create index users_all_email on users (email_order, user_id);
create index users_all_role on users (role_id, user_id);
create index users_all_created on users (created_at, user_id);

-- A Super edits the users of all companies.
create policy installation on user_notify_for for all to app_user using ((select app_is('super')));
grant delete on users, user_notify_for, companies, data_keys to roomside_definer;
grant select on data_keys to roomside_definer;

-- The orders of the company list.
create index companies_name on companies (company_name collate name_order, company_id);
create index companies_created on companies (created_at, company_id);
create index companies_provider_count on companies (provider_count, company_id);
create index companies_expiration_date on companies (expiration_date, company_id);
