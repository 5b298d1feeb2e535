-- A refund can come back days later, and be made again: each charge is refunded once by each attempt.
alter table ledger add column refund_attempt int not null default 1;
drop index ledger_charge;
create unique index ledger_charge on ledger (charge_id, kind, refund_attempt, sign(amount)) where charge_id is not null;
