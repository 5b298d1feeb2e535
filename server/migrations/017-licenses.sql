-- Licenses that clinics buy by card: kept cards, purchases with their invoices, and renewals (decision 066).

alter table companies add column auto_renew boolean not null default false;

-- Whether a person is there to confirm a charge; not so when a license is renewed by itself.
alter table charges add column attended boolean not null default true;
create unique index charges_license_attempt on charges (company_id, attempt) where purpose = 'license';
create policy licenses on charges for all to app_user using (purpose = 'license' and (select app_is('super')));

-- Cards that the processor keeps. The reference opens nothing without the secret key of the installation's account.
create table payment_cards (
  card_id bigint primary key default nextval('ids'),
  company_id bigint not null references companies,
  position text not null check (position in ('primary', 'backup')),
  processor text not null check (processor in ('sandbox', 'stripe')),
  -- The public key of the account at which the card is kept; other accounts do not know it.
  account text not null,
  reference text not null,
  brand text not null,
  last4 text not null check (last4 ~ '^[0-9]{4}$'),
  exp_month int not null check (exp_month between 1 and 12),
  exp_year int not null check (exp_year between 2000 and 2999),
  created_at timestamptz not null,
  unique (company_id, position)
);

-- What a charge of a license buys; once it is paid, its invoice.
create table license_purchases (
  charge_id bigint primary key,
  company_id bigint not null references companies,
  providers int not null check (providers between 1 and 9999),
  -- Per provider and year.
  price numeric(10,2) not null check (price >= 0),
  discount_rate int not null default 0 check (discount_rate between 0 and 100),
  promo_code text not null default '',
  automatic boolean not null,
  created_at timestamptz not null,
  invoice_number bigint unique,
  company_name text not null default '',
  invoice_day date,
  starts_on date,
  ends_on date,
  foreign key (company_id, charge_id) references charges (company_id, charge_id),
  check ((invoice_number is null) = (ends_on is null) and (ends_on is null) = (starts_on is null)
    and (ends_on is null) = (invoice_day is null))
);
create index license_purchases_company on license_purchases (company_id, invoice_number);

-- The automatic renewal of one license, by the day on which it ends. Days in the company's zone.
create table license_renewals (
  company_id bigint not null references companies,
  expiration_date date not null,
  noticed_on date not null,
  -- The amount that the notice named; another one is announced again.
  noticed_total numeric(10,2) not null,
  -- The last day on which a card was charged, and of which the administrators know how it ended.
  tried_on date,
  tried_at timestamptz,
  told_on date,
  primary key (company_id, expiration_date)
);

-- The number of the last invoice. It is counted in the transaction that records a payment, so that there are no gaps.
create table invoice_numbers (
  one boolean primary key default true check (one),
  last_number bigint not null
);
insert into invoice_numbers (last_number) values (0);

do $$
declare t text;
begin
  foreach t in array array['payment_cards', 'license_purchases', 'license_renewals'] loop
    execute format('alter table %I alter column company_id set (n_distinct = 100)', t);
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I for all to app_user
      using (company_id = (select app_company()) and (select app_patient()) is null)', t);
    execute format('create policy installation on %I for all to app_user using ((select app_is(''super'')))', t);
    execute format('grant select, insert, update on %I to app_user', t);
  end loop;
end $$;
grant delete on payment_cards to app_user;
alter table invoice_numbers enable row level security;
alter table invoice_numbers force row level security;
grant select, update on invoice_numbers to roomside_definer;
grant select on license_renewals to roomside_definer;
