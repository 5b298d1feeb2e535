-- O'Brien is one name, however a keyboard writes its apostrophe.

-- As platform/fold.ts.
create function fold(typed text) returns text language sql immutable parallel safe
  return lower(trim(regexp_replace(normalize(translate(typed,
    U&'\2018\2019\02BC\2032\00B4\0060\2010\2011\2012\2013\2014\2015\2212', '''''''''''''-------'), NFKC), '\s+', ' ', 'g')));

-- Once, past the fence around patients.
create function fold_patients() returns void language sql volatile security definer set search_path = public
  begin atomic
    update patients set search = fold(search) where search <> fold(search);
  end;
grant create on schema public to roomside_definer;
alter function fold_patients() owner to roomside_definer;
revoke create on schema public from roomside_definer;
select fold_patients();
drop function fold_patients();
