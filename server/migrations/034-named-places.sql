-- What each message to a patient says (decision 033): the start and provider that it names, and when they were read. They are set before the
-- message is sent, and unset when it certainly was not. Of the patient's own booking, move or cancellation: what the page showed.
alter table notification_logs add column named_at timestamptz;
alter table notification_logs add column named_starts_at timestamptz;
alter table notification_logs add column named_doctor_id bigint;
alter table notification_logs add constraint notification_logs_named
  check (num_nonnulls(named_at, named_starts_at, named_doctor_id) in (0, 3));

-- Before, each message about a change had the start and provider before it. A message that was sent named those before the next change, or the
-- current ones. Of refunds, and of appointments that ended long ago, it does not matter.
alter table notification_logs no force row level security;
alter table appointments no force row level security;
with said as (
  select n.notification_id, case when n.sent_at is null or n.own then n.created_at else n.sent_at end as at,
    coalesce(case when n.kind = 'cancelled' then n.known_starts_at else next.known_starts_at end, a.starts_at) as starts_at,
    coalesce(case when n.kind = 'cancelled' then n.known_doctor_id else next.known_doctor_id end, a.doctor_id) as doctor_id
  from (
    select *, by_user_id is null and kind in ('invitation', 'newTime', 'cancelled') as own from notification_logs
    where patient_id is not null
  ) as n
  join appointments a on a.appointment_id = n.appointment_id and a.ends_at > now() - interval '90 days'
  left join lateral (
    select m.known_starts_at, m.known_doctor_id from notification_logs m
    where m.appointment_id = n.appointment_id and m.patient_id is not null and m.known_starts_at is not null
      and m.created_at > case when n.sent_at is null or n.own then n.created_at else n.sent_at end
    order by m.notification_id limit 1
  ) as next on true
  where (n.state = 'sent' or n.own) and n.kind not in ('refunded', 'refundFailed')
)
update notification_logs as n
set named_at = said.at, named_starts_at = said.starts_at, named_doctor_id = said.doctor_id
from said where said.notification_id = n.notification_id;
alter table appointments force row level security;
alter table notification_logs force row level security;

alter table notification_logs drop column known_starts_at;
alter table notification_logs drop column known_doctor_id;
