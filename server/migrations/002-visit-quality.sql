-- How sound and video arrived at one page of a visit. The page stores it each minute and when it leaves.
create table visit_quality (
  company_id bigint not null,
  appointment_id bigint not null,
  patient_id bigint not null,
  peer_id text not null,
  -- Names the load of the page.
  page uuid not null,
  role_id text not null check (role_id in ('A', 'D', 'U', 'P')),
  updated_at timestamptz not null,
  -- Parts of packets and of sound, 0 to 1.
  loss_average double precision not null,
  loss_worst double precision not null,
  concealed_average double precision not null,
  concealed_worst double precision not null,
  rtt_average_ms int not null,
  rtt_worst_ms int not null,
  jitter_average_ms int not null,
  jitter_worst_ms int not null,
  freezes int not null,
  -- A TURN server was between the peers.
  relayed boolean not null,
  interruptions int not null,
  restarts int not null,
  good_seconds int not null,
  fair_seconds int not null,
  poor_seconds int not null,
  primary key (appointment_id, peer_id, page),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade
);

alter table visit_quality alter column company_id set (n_distinct = 100);
alter table visit_quality enable row level security;
alter table visit_quality force row level security;
-- As for the other tables of one patient.
create policy tenant on visit_quality for all to app_user using (company_id = (select app_company())
  and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end);

grant select, insert, update on visit_quality to app_user;
grant select, update on visit_quality to roomside_definer;
