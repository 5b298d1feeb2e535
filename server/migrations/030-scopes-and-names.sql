-- Which scopes of attempts there are is a rule of the server (platform/throttle.ts).
alter table sign_in_failures drop constraint sign_in_failures_scope_check, add constraint sign_in_failures_scope_check check
  (scope ~ '^[a-z]+(-[a-z]+)*$' and length(scope) <= 30);

alter table license_renewals rename column told_on to notified_on;

-- STATE-24: a license ends with the day before its date, in the company's zone. The same rule as isExpired of the contract.
create function license_ended(ends date, zone text, at timestamptz) returns boolean language sql stable
  return ends <= (at at time zone zone)::date;
