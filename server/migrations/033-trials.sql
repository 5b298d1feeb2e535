-- Companies that have signed up, until they pay for a license or an administrator of the installation saves them (decision 058).
create table trials (
  company_id bigint primary key references companies,
  -- The day in UTC of the last message, and the messages of that day.
  day date not null default '-infinity',
  messages int not null default 0 check (messages >= 0)
);
alter table trials alter column company_id set (n_distinct = 100);
alter table trials enable row level security;
alter table trials force row level security;
create policy tenant on trials for all to app_user
  using ((company_id = (select app_company()) and (select app_patient()) is null) or (select app_is('super')));
grant select, delete on trials to app_user;
grant select, insert, update, delete on trials to roomside_definer;
