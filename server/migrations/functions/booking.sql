-- The taken times of providers between two instants: live appointments, holds, and the busy times of their external calendars
-- (without an appointment and a hold). Past the fence around a patient, so that those who book see what is taken, but never whose it is.
create function provider_busy(doctors bigint[], since timestamptz, until timestamptz, at timestamptz)
  returns table (doctor_id bigint, starts_at timestamptz, ends_at timestamptz, appointment_id bigint, hold_uid text)
  language sql stable security definer set search_path = public
  begin atomic
    select a.doctor_id, a.starts_at, a.ends_at, a.appointment_id, null
    from appointments a
    where a.company_id = app_company() and a.doctor_id = any(doctors)
      and a.starts_at < until and a.starts_at > since - interval '600 minutes' and a.ends_at > since
      and not a.cancelled and not a.immediate and a.archived_at is null
    union all
    select h.doctor_id, h.starts_at, h.ends_at, null, h.hold_uid
    from holds h
    where h.company_id = app_company() and h.doctor_id = any(doctors)
      and h.starts_at < until and h.ends_at > since and h.expires_at > at and h.appointment_id is null
    union all
    select b.user_id, b.starts_at, b.ends_at, null, null
    from busy_times b
    where b.company_id = app_company() and b.user_id = any(doctors) and b.starts_at < until and b.ends_at > since;
  end;

-- How many appointments ahead belong to patients whom the clinic has not recognized yet, booked with this email or with this
-- phone, the larger of both numbers. Those booked in the last hour count also when they are cancelled: each has sent two messages. For those who are booking: a number, never whose they are.
create function unverified_ahead(mail text, number text, at timestamptz) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select greatest(
      count(*) filter (where mail <> '' and lower(p.email) = lower(mail)),
      count(*) filter (where exists (select from patient_phones f
        where f.company_id = p.company_id and f.patient_id = p.patient_id and f.phone = number)))::int
    from patients p join appointments a on a.company_id = p.company_id and a.patient_id = p.patient_id
    where p.company_id = app_company() and app_is('booking') and not p.verified and p.archived_at is null
      and a.starts_at > at and (not a.cancelled or a.created_at > at - interval '1 hour') and a.archived_at is null;
  end;

-- How many bookings came from this address since then, at all clinics: a number, for those who are booking.
create function bookings_from(from_address bytea, since timestamptz) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select count(*)::int from holds h where h.address = from_address and h.booked_at > since and app_is('booking');
  end;

-- The same for a site, an IPv6 /48. None without one.
create function bookings_from_site(from_site bytea, since timestamptz) returns int
  language sql stable security definer set search_path = public
  begin atomic
    select count(*)::int from holds h where h.site = from_site and h.booked_at > since and app_is('booking');
  end;
