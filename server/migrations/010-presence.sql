-- Presence: each side of a visit by itself, and who was given up too early.

-- As in 003, but: each side by itself, so that whoever is still there does not hide that the other has gone. A process that
-- ended in order is as dead as any other, and after the same time: until then its people come back elsewhere. And after
-- a silence of all (the database was away) nobody is dead before one of them has listened to the others for long enough.
create or replace function rooms_to_sweep(dead_before timestamptz) returns table (company_id bigint, appointment_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select p.company_id, p.appointment_id from peers p join instances i on i.instance_id = p.instance_id
    where p.left_at is null and i.heartbeat_at < dead_before
      and exists (select 1 from instances l where l.started_at <= dead_before and l.heartbeat_at >= dead_before)
    union
    select v.company_id, v.appointment_id from visits v
    where v.patient_present_at is not null
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id and p.role_id = 'P'
        and (p.left_at is null or p.left_at >= dead_before))
    union
    select v.company_id, v.appointment_id from visits v
    where v.provider_present_at is not null
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id and p.role_id <> 'P'
        and (p.left_at is null or p.left_at >= dead_before));
  end;

-- Which of these stays have ended although a process still has their seats: nobody else has taken the peer's place.
create function lost_attendances(ids bigint[]) returns table (stay_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select p.stay_id from peers p
    where p.stay_id = any(ids) and p.left_at is not null
      and not exists (select 1 from peers n where n.appointment_id = p.appointment_id and n.peer_id = p.peer_id
        and n.left_at is null);
  end;

grant create on schema public to roomside_definer;
alter function lost_attendances(bigint[]) owner to roomside_definer;
revoke execute on function lost_attendances(bigint[]) from public;
grant execute on function lost_attendances(bigint[]) to app_user;
revoke create on schema public from roomside_definer;
