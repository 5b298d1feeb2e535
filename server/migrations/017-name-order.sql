-- Names in the order of language (decision 025), whatever collation the database was made with: Á beside A, "de la Cruz"
-- among the Ds, "O'Brien" beside "Obrien".
do $$
begin
  create collation name_order (provider = icu, locale = 'und-u-ka-shifted');
exception when feature_not_supported or undefined_object or invalid_parameter_value then
  raise exception 'Names are sorted with ICU, which this PostgreSQL (%) cannot use: %', current_setting('server_version'), sqlerrm
    using hint = 'Use a PostgreSQL that was built with ICU (the usual packages are) and a database with the encoding UTF8.';
end $$;

drop index patients_last_name;
drop index patients_first_name;
drop index users_company;
create index patients_last_name
  on patients (company_id, last_name collate name_order, first_name collate name_order, patient_id) where archived_at is null;
create index patients_first_name
  on patients (company_id, first_name collate name_order, last_name collate name_order, patient_id) where archived_at is null;
create index users_company on users (company_id, last_name collate name_order, first_name collate name_order, user_id);
