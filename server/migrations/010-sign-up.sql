-- The visits of an expired company that go on are found by who is in them or has just left.
create index peers_left on peers (company_id, left_at);
