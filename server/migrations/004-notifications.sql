-- What was sent to whom, and the demo's outbox.

create table notification_logs (
  notification_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  appointment_id bigint,
  patient_id bigint,
  -- To a patient (patient_id) or to a user.
  to_user_id bigint,
  kind text not null,
  method text not null check (method in ('email', 'text')),
  -- Unique per appointment, kind, method and due time: a retry never sends twice.
  due_at timestamptz not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
  error text not null default '',
  sent_at timestamptz,
  by_user_id bigint,
  created_at timestamptz not null,
  unique nulls not distinct (company_id, appointment_id, to_user_id, kind, method, due_at),
  foreign key (company_id, appointment_id) references appointments (company_id, appointment_id),
  foreign key (company_id, patient_id) references patients (company_id, patient_id),
  foreign key (company_id, to_user_id) references users (company_id, user_id),
  foreign key (company_id, by_user_id) references users (company_id, user_id)
);
create index notification_logs_appointment on notification_logs (appointment_id, created_at);
alter table notification_logs enable row level security;
alter table notification_logs force row level security;
create policy tenant on notification_logs for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);
grant select, insert, update on notification_logs to app_user;

create table outbox (
  outbox_id bigint primary key default nextval('ids'),
  at timestamptz not null,
  method text not null check (method in ('email', 'text')),
  recipient text not null,
  subject text not null default '',
  body_text text not null,
  body_html text not null default '',
  attachments jsonb not null default '[]'
);
create index outbox_at on outbox (outbox_id desc);
grant select, insert, delete on outbox to app_user;
