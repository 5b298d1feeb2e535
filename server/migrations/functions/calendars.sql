-- The feed of a secret address, while its clinic and its provider may sign in.
create function auth_calendar_feed(hash bytea, at timestamptz)
  returns table (feed_id bigint, company_id bigint, user_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select f.feed_id, f.company_id, f.user_id
    from calendar_feeds f join companies c on c.company_id = f.company_id
    where f.secret_hash = hash and app_is('unauthenticated') and not c.disabled
      and not license_ended(c.expiration_date, c.time_zone, at)
      and (f.user_id is null
        or exists (select from users u where u.user_id = f.user_id and not u.disabled and u.role_id in ('A', 'D')));
  end;

-- Gives a worker an external calendar that is due, or whose worker has vanished. Ids only, for job transactions.
create function claim_external_calendar(at timestamptz, until_at timestamptz, worker uuid)
  returns table (company_id bigint, calendar_id bigint)
  language plpgsql volatile security definer set search_path = public as $$
#variable_conflict use_column
begin
  return query update external_calendars e set claim = worker, lease_until = until_at
    where e.calendar_id = (select x.calendar_id from external_calendars x
      join users u on u.user_id = x.user_id
      join companies c on c.company_id = x.company_id
      where x.next_read_at <= at and (x.claim is null or x.lease_until <= at)
        and not u.disabled and u.role_id in ('A', 'D') and not c.disabled
        and not license_ended(c.expiration_date, c.time_zone, at)
      order by x.next_read_at limit 1 for update of x skip locked)
    returning e.company_id, e.calendar_id;
end $$;
