-- Ids only, for job transactions.

-- Rooms whose presence may be wrong: peers of instances whose heartbeat has stopped, or a side that is absent although the
-- visit says otherwise (the process died in between). Each side by itself, so that the one that is still there does not hide
-- that the other has gone. An instance that ended in order counts as dead like any other, and after the same time: until
-- then its people come back elsewhere. After a silence of all (the database was away) none is dead before one of them has
-- listened to the others for long enough.
create function rooms_to_sweep(dead_before timestamptz) returns table (company_id bigint, appointment_id bigint)
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
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id and p.role_id not in ('P', 'G')
        and (p.left_at is null or p.left_at >= dead_before));
  end;

-- Patients in a room who have not been announced since before that instant ('no camera').
create function unannounced_arrivals(present_before timestamptz) returns table (company_id bigint, appointment_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select v.company_id, v.appointment_id from visits v
    where v.patient_present_at <= present_before and v.announced_at is null;
  end;

-- Which of these attendances have ended although a process still has their membership: no other one has taken the peer's
-- place.
create function lost_attendances(ids bigint[]) returns table (attendance_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select p.attendance_id from peers p
    where p.attendance_id = any(ids) and p.left_at is not null
      and not exists (select 1 from peers n where n.appointment_id = p.appointment_id and n.peer_id = p.peer_id
        and n.left_at is null);
  end;

-- How many pictures the patient's own device has stored in this visit, for the limit: patients may not read photos.
create function own_photos(of_appointment bigint) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select count(*)::int from photos
    where company_id = app_company() and patient_id = app_patient() and appointment_id = of_appointment
      and by_user_id is null;
  end;
