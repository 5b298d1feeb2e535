-- Promo codes for those who may not read them: patients, and a company for codes of the installation.

-- The code that can be used on this day; none when it is unknown, disabled, over or used up.
create function find_promo(for_license boolean, typed text, today date)
  returns table (promo_id bigint, code text, discount_rate int)
  language sql stable security definer set search_path = public
  begin atomic
    select p.promo_id, p.code, p.discount_rate from promo_codes p
    where coalesce(p.company_id, 0) = case when for_license then 0 else app_company() end
      and lower(p.code) = lower(typed) and p.archived_at is null and not p.disabled
      and (p.expiration_date is null or p.expiration_date >= today)
      and (p.max_uses is null or p.uses < p.max_uses);
  end;

-- Uses it once. Of simultaneous ones for the last use, one gets it.
create function take_promo(for_license boolean, typed text, today date)
  returns table (promo_id bigint, discount_rate int)
  language plpgsql volatile security definer set search_path = public as $$
#variable_conflict use_column
begin
  return query update promo_codes p set uses = p.uses + 1
    where p.promo_id = (select f.promo_id from find_promo(for_license, typed, today) f)
      and (p.max_uses is null or p.uses < p.max_uses)
    returning p.promo_id, p.discount_rate;
end $$;

-- Gives back a use whose charge has failed.
create function return_promo(of_promo bigint) returns void
  language sql volatile security definer set search_path = public
  begin atomic
    update promo_codes set uses = uses - 1
    where promo_id = of_promo and uses > 0 and app_is('job') and (company_id is null or company_id = app_company());
  end;

-- Charges and refunds whose end is not known, and that no one has asked about since then. Ids only, for job transactions.
create function unsettled_charges(asked_before timestamptz, max_rows int) returns table (company_id bigint, charge_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, c.charge_id from charges c
    where c.state in ('created', 'asked', 'action', 'refunding') and coalesce(c.asked_at, c.created_at) < asked_before
    order by coalesce(c.asked_at, c.created_at) limit max_rows;
  end;

-- The number of the next invoice of the installation. Its row stays locked until the transaction ends.
create function next_invoice_number() returns bigint
  language sql volatile security definer set search_path = public
  begin atomic
    update invoice_numbers set last_number = last_number + 1
    where app_is('job') or app_is('company') or app_is('super') returning last_number;
  end;

-- Companies whose license may be renewed by itself, or whose administrators do not know yet how that ended. Ids only, for job transactions.
create function renewals_to_check(at timestamptz, days_before int, days_after int) returns setof bigint
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id from companies c
    where c.auto_renew and not c.disabled
      and c.expiration_date - (at at time zone c.time_zone)::date between -days_after and days_before
    union
    select r.company_id from license_renewals r where r.tried_on is not null and r.notified_on is distinct from r.tried_on;
  end;

-- The company that a processor's message is for.
create function company_of_webhook(uid text) returns bigint
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id from companies c where c.company_uid = uid and length(c.payment_webhook) > 0;
  end;

-- Paid charges of the sandbox that are disputed by now, and refunded ones that came back. Ids only, for job transactions.
create function sandbox_changes(before timestamptz) returns table (company_id bigint, charge_id bigint)
  language sql stable security definer set search_path = public
  begin atomic
    select c.company_id, c.charge_id from sandbox_charges s join charges c on c.charge_key = s.charge_key
    where (s.outcome = 'dispute' and s.state = 'paid' and c.state = 'paid' and s.created_at <= before)
      or (s.outcome = 'comeback' and s.state = 'refunded' and c.state = 'refunded' and s.refunded_at <= before)
    limit 50;
  end;
