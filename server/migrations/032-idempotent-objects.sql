-- The objects of the first request's audit row: a repeat shows the same data, and has the same objects.
alter table idempotency_keys add column objects jsonb not null default '{}';
