-- Promo codes: of a company for what its patients pay, without a company for licenses (decisions of money).

create table promo_codes (
  promo_id bigint primary key default nextval('ids'),
  company_id bigint references companies,
  code text not null check (length(code) between 1 and 50),
  discount_rate int not null check (discount_rate between 1 and 100),
  -- The last day of use, in the company's zone; null = no end.
  expiration_date date,
  max_uses int check (max_uses > 0),
  uses int not null default 0,
  disabled boolean not null default false,
  version int not null default 0,
  created_at timestamptz not null,
  archived_at timestamptz
);
-- One code for a person who types it in any case. 0 stands for the installation.
create unique index promo_codes_code on promo_codes (coalesce(company_id, 0), lower(code)) where archived_at is null;
create index promo_codes_order on promo_codes (company_id, code collate name_order, promo_id) where archived_at is null;

alter table promo_codes alter column company_id set (n_distinct = 100);
alter table promo_codes enable row level security;
alter table promo_codes force row level security;
create policy tenant on promo_codes for all to app_user
  using (company_id = (select app_company()) and (select app_patient()) is null);
create policy installation on promo_codes for all to app_user using (company_id is null and (select app_is('super')));
grant select, insert, update on promo_codes to app_user;
grant select on promo_codes to roomside_definer;
