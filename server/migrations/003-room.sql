-- The room: who is in it, what was said.

create table instances (
  instance_id text primary key,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  ended_at timestamptz
);
grant select, insert, update on instances to app_user;

-- One stay of one device in a session. While left_at is null the peer is heard as long as its instance beats.
create table peers (
  stay_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  peer_id text not null,
  role_id text not null check (role_id in ('A', 'D', 'U', 'P')),
  user_id bigint,
  connection_id text not null,
  instance_id text not null references instances,
  ready boolean not null default false,
  joined_at timestamptz not null,
  left_at timestamptz,
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id)
);
create index peers_appointment on peers (appointment_id, joined_at);
create unique index peers_live on peers (appointment_id, peer_id) where left_at is null;
create index peers_instance on peers (instance_id) where left_at is null;

create table chat_messages (
  message_id bigint primary key default nextval('ids'),
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  user_id bigint,
  -- Whose message: 'P_12' or 'U_34'; with the sender's key it makes a retry harmless.
  author text not null,
  key text not null,
  payload text not null check (length(payload) <= 1600),
  at timestamptz not null,
  unique (appointment_id, author, key),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, user_id) references users (company_id, user_id)
);
create index chat_messages_appointment on chat_messages (appointment_id, message_id);

do $$
declare t text;
begin
  foreach t in array array['peers', 'chat_messages'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($p$create policy tenant on %I for all to app_user using (company_id = (select app_company())
      and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end)$p$, t);
  end loop;
end $$;
grant select, insert, update on peers to app_user;
grant select, insert on chat_messages to app_user;

-- Rooms whose presence may be wrong: peers of instances that no longer beat, or nobody there although the visit says
-- so (the process died in between). Ids only, for the sweeper's job transactions.
create function rooms_to_sweep(dead_before timestamptz) returns table (company_id bigint, appointment_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select p.company_id, p.appointment_id from peers p join instances i on i.instance_id = p.instance_id
    where p.left_at is null and (i.ended_at is not null or i.heartbeat_at < dead_before)
    union
    select v.company_id, v.appointment_id from visits v
    where (v.patient_present_at is not null or v.provider_present_at is not null)
      and not exists (select 1 from peers p where p.appointment_id = v.appointment_id
        and (p.left_at is null or p.left_at >= dead_before));
  end;

-- Patients in a room who have not been announced since before that instant ('no camera'); ids only.
create function unannounced_arrivals(present_before timestamptz) returns table (company_id bigint, appointment_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select v.company_id, v.appointment_id from visits v
    where v.patient_present_at <= present_before and v.announced_at is null;
  end;
create index visits_unannounced on visits (patient_present_at) where announced_at is null and patient_present_at is not null;
