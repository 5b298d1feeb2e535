-- From this day in the company's zone its users need a second factor; null = they do not.
alter table companies add column second_factor_from date;
