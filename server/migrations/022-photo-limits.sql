-- The pictures of a patient's device are counted for that device, which may not read them.
grant select on photos to roomside_definer;
