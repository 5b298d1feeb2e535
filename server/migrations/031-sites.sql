-- The site of a hold's address, hashed: an IPv6 /48. Null for IPv4.
alter table holds add column site bytea;
create index holds_site on holds (company_id, site, created_at) where site is not null;
create index holds_booked_site on holds (site, booked_at) where booked_at is not null;
