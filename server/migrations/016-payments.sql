-- Payments by card: charges, their effects on the ledger, and the keys of a company's payment processor (decision 064).

alter table companies
  -- The public and the secret key; the secret is sealed by the company's key.
  add column payment_user text not null default '' check (length(payment_user) <= 100),
  add column payment_password bytea not null default '',
  -- By which the processor signs its messages; sealed, too. Empty: it sends none.
  add column payment_webhook bytea not null default '',
  -- What a patient gets who cancels a paid appointment before the notice period.
  add column refund_rule text not null default 'manual' check (refund_rule in ('automatic', 'manual', 'never')),
  add constraint companies_processor check (payment_processor in ('sandbox', 'stripe'));

-- One attempt to take money. It moves: created, asked, (action,) paid or failed; paid, refunding, refunded; paid, disputed.
create table charges (
  charge_id bigint primary key default nextval('ids'),
  -- The idempotency key at the processor, from the object and the attempt.
  charge_key text not null unique,
  company_id bigint not null references companies,
  purpose text not null check (purpose in ('appointment', 'license')),
  appointment_id bigint,
  patient_id bigint,
  attempt int not null,
  -- 'none': a promo code covers everything.
  processor text not null check (processor in ('none', 'sandbox', 'stripe')),
  -- The public key of the account that is charged; another account is not asked about it.
  account text not null,
  amount numeric(10,2) not null check (amount >= 0),
  currency text not null,
  -- What is charged: a token of the processor's widget, or a card that it keeps. Deleted when the charge is over.
  method text not null,
  promo_id bigint references promo_codes,
  discount numeric(10,2) not null default 0 check (discount >= 0),
  state text not null default 'created'
    check (state in ('created', 'asked', 'action', 'paid', 'failed', 'refunding', 'refunded', 'disputed')),
  external_id text not null default '',
  action_token text not null default '',
  failure text not null default '',
  card_brand text not null default '',
  card_last4 text not null default '' check (card_last4 ~ '^([0-9]{4})?$'),
  created_at timestamptz not null,
  -- When the processor was asked last, about the charge or its refund.
  asked_at timestamptz,
  settled_at timestamptz,
  refund_reason text not null default '',
  refunded_by bigint,
  refund_asked_at timestamptz,
  refunded_at timestamptz,
  unique (company_id, charge_id),
  check ((purpose = 'appointment') = (appointment_id is not null and patient_id is not null)),
  foreign key (company_id, appointment_id, patient_id)
    references appointments (company_id, appointment_id, patient_id) on update cascade,
  foreign key (company_id, refunded_by) references users (company_id, user_id)
);
-- One open charge at a time, of an appointment and of a company's license.
create unique index charges_open on charges (appointment_id) where purpose = 'appointment' and state in ('created', 'asked', 'action');
create unique index charges_open_license on charges (company_id) where purpose = 'license' and state in ('created', 'asked', 'action');
create unique index charges_attempt on charges (appointment_id, attempt) where purpose = 'appointment';
create index charges_unsettled on charges (asked_at, created_at) where state in ('created', 'asked', 'action', 'refunding');
create index charges_appointment on charges (company_id, appointment_id);
create index charges_patient on charges (company_id, patient_id);
create index charges_external on charges (processor, external_id) where external_id <> '';
create index charges_promo on charges (promo_id) where promo_id is not null;
create index charges_refunded_by on charges (company_id, refunded_by) where refunded_by is not null;

-- Each charge is recorded once, and refunded once.
alter table ledger add column charge_id bigint,
  add foreign key (company_id, charge_id) references charges (company_id, charge_id);
create unique index ledger_charge on ledger (charge_id, kind) where charge_id is not null;
create index ledger_time on ledger (company_id, occurred_at, ledger_id);
create index ledger_patient on ledger (company_id, patient_id);

-- The sandbox: what a real processor has outside. No clinic's data; the account is its name for a company.
create table sandbox_charges (
  charge_key text primary key,
  external_id text not null unique,
  account text not null,
  amount numeric(10,2) not null,
  currency text not null,
  outcome text not null,
  state text not null check (state in ('action', 'paid', 'failed', 'refunded')),
  failure text not null default '',
  card_brand text not null,
  card_last4 text not null,
  -- For the challenge of 3-D Secure; '' without one.
  action_token text not null default '',
  -- How often it was asked: the first answers of some test cards are lost.
  asked int not null default 1,
  created_at timestamptz not null,
  refunded_at timestamptz
);
create unique index sandbox_charges_action on sandbox_charges (action_token) where action_token <> '';

do $$
declare t text;
begin
  foreach t in array array['charges', 'sandbox_charges'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('grant select, insert, update on %I to app_user', t);
  end loop;
end $$;
alter table charges alter column company_id set (n_distinct = 100);
create policy tenant on charges for all to app_user using (company_id = (select app_company())
  and case when (select app_patient()) is null then true else patient_id = (select app_patient()) end);
create policy unauthenticated on sandbox_charges for all to app_user using ((select app_is('unauthenticated')));
grant select on charges to roomside_definer;
grant update (uses) on promo_codes to roomside_definer;

alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope in ('account', 'device', 'email', 'address', 'address-site', 'code-address', 'code-site', 'reset', 'reset-address',
    'invitation', 'booking', 'booking-site', 'booking-slots', 'booking-holds', 'booking-code', 'second-factor', 'passkeys',
    'sign-up', 'sign-up-address', 'sign-up-site', 'external', 'promo'));
