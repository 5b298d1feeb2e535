-- Private calendar feeds, and busy times of providers' external calendars (decision 067).

-- A secret address under which a calendar program reads appointments: a provider's, or without a user the clinic's.
create table calendar_feeds (
  feed_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  user_id bigint,
  secret_hash bytea not null unique,
  -- Whether titles have the patient's initials.
  shows_initials boolean not null,
  created_at timestamptz not null,
  -- The last time that a program has asked, to some minutes.
  read_at timestamptz,
  unique nulls not distinct (company_id, user_id),
  foreign key (company_id, user_id) references users (company_id, user_id)
);

-- The calendar elsewhere whose events are time off of a provider.
create table external_calendars (
  calendar_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  user_id bigint not null,
  -- Sealed: the address is enough to read the calendar (platform/sealed-text.ts).
  address bytea not null,
  -- For conditional requests.
  etag text not null default '',
  last_modified text not null default '',
  -- Of the content, so that an unchanged one is not expanded again.
  content_hash bytea not null default '',
  -- When its events were last expanded for the coming days; an unchanged file is expanded once a day.
  expanded_at timestamptz not null,
  read_at timestamptz not null,
  -- Since when it cannot be read, and why (contract/src/calendars/problems.ts).
  failed_at timestamptz,
  problem text,
  failures int not null default 0,
  next_read_at timestamptz not null,
  -- The worker that reads it, until then.
  claim uuid,
  lease_until timestamptz,
  unique (company_id, user_id),
  foreign key (company_id, user_id) references users (company_id, user_id),
  check ((failed_at is null) = (problem is null))
);
create index external_calendars_due on external_calendars (next_read_at);

-- The busy times of external calendars, without overlaps.
create table busy_times (
  company_id bigint not null references companies,
  user_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  primary key (company_id, user_id, starts_at),
  foreign key (company_id, user_id) references users (company_id, user_id)
);

do $$
declare t text;
begin
  foreach t in array array['calendar_feeds', 'external_calendars', 'busy_times'] loop
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    -- Staff's alone.
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
    execute format('grant select, insert, update, delete on %I to app_user', t);
    execute format('grant select, delete on %I to roomside_definer', t);
  end loop;
end $$;
grant update on external_calendars to roomside_definer;

alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code', 'second-factor', 'passkeys',
    'sign-up', 'sign-up-address', 'sign-up-site', 'external', 'promo', 'calendar', 'calendar-site', 'calendar-checks'));
