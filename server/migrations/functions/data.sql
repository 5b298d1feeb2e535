-- Work of the server on the data of whole companies. Ids only, for job transactions.

-- Gives one worker the next export that waits, or whose worker has vanished.
create function claim_data_export(at timestamptz, until_at timestamptz, worker uuid)
  returns table (company_id bigint, export_id bigint, attempts int)
  language plpgsql volatile security definer set search_path = public as $$
#variable_conflict use_column
begin
  return query update data_exports d set state = 'running', claim = worker, lease_until = until_at, attempts = d.attempts + 1
    where d.export_id = (select x.export_id from data_exports x
      where x.state = 'queued' or x.state = 'running' and x.lease_until <= at
      order by x.export_id limit 1 for update skip locked)
    returning d.company_id, d.export_id, d.attempts;
end $$;

-- Archives whose time is over, and exports that have ended with parts left.
create function ended_data_exports(at timestamptz) returns table (company_id bigint, export_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select d.company_id, d.export_id from data_exports d
    where d.state = 'ready' and d.expires_at <= at
      or d.state not in ('queued', 'running', 'ready')
        and exists (select from data_export_parts p where p.company_id = d.company_id and p.export_id = d.export_id);
  end;

-- Companies that do not keep everything for ever.
create function companies_with_retention() returns setof bigint
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id from companies c
    where c.keep_chats_months is not null or c.keep_files_months is not null or c.keep_recordings_months is not null
    order by c.company_id;
  end;
