-- A way of sending whose server fails for all messages, from its first failure until the next message is accepted. Mails to users
-- have no row in notification_logs.
create table delivery_outages (
  method text primary key check (method in ('email', 'text')),
  since timestamptz not null,
  last_failed_at timestamptz not null
);
grant select, insert, update, delete on delivery_outages to app_user;

-- The patient's version when the server refused the address for good; null = it did not. A changed patient may have another address.
alter table notification_logs add column refused_version int;

-- When the links of an invitation ended before one was used: with a sign-out on all devices, for example. Null = the last ones did not.
alter table users add column invitation_ended_at timestamptz;
