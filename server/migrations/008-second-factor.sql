-- Signed-in devices.

-- What a user reads about a sign-in: products' names and the first half of the network address. Empty for patients.
alter table sign_ins
  add column browser text not null default '',
  add column system text not null default '',
  add column network text not null default '';
create index sign_ins_user on sign_ins (user_id) where user_id is not null;
