-- A patient that an undoing has left, since they were edited. A further undoing counts them without looking again.
alter table import_changes add column left_as_is boolean not null default false;

-- The zone in which whole days, and times without a zone, were read.
alter table external_calendars add column expanded_zone text not null default '';
