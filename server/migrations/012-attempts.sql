-- Attempts are counted by device, customer network and site; a message is leased while it is being sent.

delete from sign_in_failures;
alter table sign_in_failures drop constraint sign_in_failures_scope_check;
alter table sign_in_failures add constraint sign_in_failures_scope_check check (scope in
  ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
   'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code'));

-- A worker that sends a message has it until then; no other one sends it meanwhile.
alter table notification_logs add column claimed_until timestamptz;

-- As before, with the clinic's name.
create or replace function auth_personal_words(id bigint) returns text[] language sql stable security definer set search_path = public
  begin atomic
    select array[u.first_name, u.last_name, u.email, coalesce(c.company_name, '')]
    from users u left join companies c on c.company_id = u.company_id where u.user_id = id and app_is('unauthenticated');
  end;
