-- The numbers of a clinic read a hundred thousand appointments of some weeks: from the index alone, since their rows are scattered over the
-- table. Its further columns are in other indexes or their conditions, or never change: no update writes more indexes than before.
create index appointments_by_start on appointments (company_id, starts_at, appointment_id)
  include (doctor_id, ends_at, patient_id, cancelled, completed_elsewhere) where archived_at is null;
drop index appointments_start;
alter index appointments_by_start rename to appointments_start;
