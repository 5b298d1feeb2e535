-- Bookings of strangers are confirmed by a code that was sent to their contact, where an address books much or the clinic asks
-- for it.

alter table companies add column confirm_bookings boolean not null default false;

alter table holds
  -- Where the code was sent and what it is, sealed by the company's key; null = none was asked for.
  add column confirmation bytea,
  -- Codes that were sent, and wrong ones typed since the last.
  add column codes_sent int not null default 0,
  add column wrong_codes int not null default 0,
  add column booked_at timestamptz;
update holds set booked_at = created_at where appointment_id is not null;
create index holds_booked on holds (address, booked_at) where booked_at is not null;

-- How many bookings came from this address since then, at all clinics: a number, for those who are booking.
create function bookings_from(from_address bytea, since timestamptz) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select count(*)::int from holds h where h.address = from_address and h.booked_at > since and app_is('booking');
  end;

grant create on schema public to roomside_definer;
grant select on holds to roomside_definer;
alter function bookings_from(bytea, timestamptz) owner to roomside_definer;
revoke execute on function bookings_from(bytea, timestamptz) from public;
grant execute on function bookings_from(bytea, timestamptz) to app_user;
revoke create on schema public from roomside_definer;
