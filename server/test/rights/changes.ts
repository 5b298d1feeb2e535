import type pg from 'pg';

/** The tables of a company's data. */
const tables = [
  'companies',
  'users',
  'patients',
  'patient_phones',
  'appointments',
  'visits',
  'ledger',
  'charges',
  'chat_messages',
  'scheduling_rules',
  'rule_times',
  'rule_providers',
  'time_off',
  'booking_requests',
  'calendar_feeds',
  'files',
  'recording_runs',
  'recording_consents',
  'recordings',
  'recording_blobs',
  'photos',
];

/** Installs triggers that count each committed statement that writes. */
export async function countChanges(client: pg.Client): Promise<void> {
  await client.query(`
    create table change_log (id bigint generated always as identity primary key);
    create function note_change() returns trigger language plpgsql security definer set search_path = public as $$
      begin insert into change_log default values; return null; end $$;`);
  for (const name of tables) {
    await client.query(`create trigger note_change after insert or update or delete on ${name}
      for each statement execute function note_change()`);
  }
  // Jobs update the states of notifications, so only inserts count.
  await client.query(`create trigger note_change after insert on notification_logs
    for each statement execute function note_change()`);
}

/** Returns the number of the last statement that changed data. */
export async function changes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('select coalesce(max(id), 0)::int as n from change_log');
  return rows[0]?.n ?? -1;
}
