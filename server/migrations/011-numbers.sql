-- For the first page of administrators: the results of device checks by time, and recent messages that were not delivered.
create index device_checks_time on device_checks (company_id, checked_at);
create index notification_logs_failed on notification_logs (company_id, created_at) where state = 'failed';
