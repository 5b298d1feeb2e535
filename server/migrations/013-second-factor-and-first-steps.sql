-- From this day in the company's zone its users need a second factor; null = they do not.
alter table companies add column second_factor_from date;

-- A passkey also proves that its user is present, before the second factor is changed.
alter table passkey_challenges drop constraint passkey_challenges_purpose_check,
  add constraint passkey_challenges_purpose_check check (purpose in ('add', 'sign-in', 'confirm'));
