-- A refund can come back days later, and be made again: each charge is refunded once by each attempt.
alter table ledger add column refund_attempt int not null default 1;
drop index ledger_charge;
create unique index ledger_charge on ledger (charge_id, kind, refund_attempt, sign(amount)) where charge_id is not null;

-- When the last refund was refused or came back; null = it was not. What administrators return by hand counts from then on.
alter table charges add column refund_failed_at timestamptz;
update charges set refund_failed_at = settled_at, failure = '' where failure = 'refund-failed';

-- The few charges of the sandbox about which a processor outside would send a message later.
create index sandbox_charges_later on sandbox_charges (outcome) where outcome in ('dispute', 'comeback');
grant select on sandbox_charges to roomside_definer;
