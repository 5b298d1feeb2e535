import { pino } from 'pino';
import { type CommandContext, runCommand } from './command.ts';
import { companiesToReseal, reseal, supersedeKey } from './features/upkeep/reseal.ts';
import { blobKeys } from './platform/blob-keys.ts';
import { sealedBlobs } from './platform/blobs.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Database } from './platform/database/database.ts';
import { changeSecret, openKeys, replaceSignInKey } from './platform/keys.ts';
import { openBlobFiles } from './platform/open-blob-files.ts';
import { SettingsError } from './platform/settings.ts';

/**
 * `npm run rotate-keys`: with SECRET_KEY_OLD it seals all keys under the new SECRET_KEY; with `--data` each company gets a
 * new key, and its values are sealed again. Both can be interrupted and run again.
 */
const print = (line: string) => void process.stdout.write(`${line}\n`);
/** An instance with a heartbeat within this time may be running, ms; three heartbeats. */
const heartbeatTimeoutMs = 15_000;

await runCommand(async (command) => {
  const args = process.argv.slice(2);
  const isData = args.includes('--data');
  const isSignIns = args.includes('--sign-ins');
  const { SECRET_KEY_OLD: old } = command.settings;
  if (old === null && !isData && !isSignIns) {
    throw new SettingsError(
      'Set SECRET_KEY_OLD to the secret until now, or give --data (new keys of the companies) or --sign-ins (all sign-ins end).',
    );
  }
  if ((old !== null || isSignIns) && (await isServing(command.db, systemClock))) {
    throw new SettingsError(
      'Stop all servers first: one was alive within the last 15 seconds, and would lose its keys.',
    );
  }
  if (old !== null) await changeMaster(command, old);
  if (isSignIns) {
    await replaceSignInKey(command.db, command.secret);
    print('All sign-ins and one-time links have ended.');
  }
  return isData ? changeDataKeys(command, systemClock) : true;
});

async function changeMaster({ db, secret }: CommandContext, old: string): Promise<void> {
  print(
    (await changeSecret(db, old, secret))
      ? 'All keys are sealed by the new SECRET_KEY. Start the server with it, and without SECRET_KEY_OLD.'
      : 'All keys are sealed by this SECRET_KEY already.',
  );
}

function isServing(db: Database, clock: Clock): Promise<boolean> {
  return db.open({ kind: 'installation' }, async (tx) => {
    const row = await tx
      .selectFrom('instances')
      .select('instance_id')
      .where('ended_at', 'is', null)
      .where('heartbeat_at', '>', new Date(clock.now() - heartbeatTimeoutMs).toISOString())
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  });
}

async function changeDataKeys({ settings, db, secret }: CommandContext, clock: Clock): Promise<boolean> {
  const keys = await openKeys(db, secret);
  const log = pino({ level: 'error' });
  const blobs = sealedBlobs(await openBlobFiles(settings), blobKeys({ db, keys, clock }));
  const parts = { db, keys, blobs, clock, log };
  const companies = await db.open({ kind: 'installation' }, (tx) =>
    tx.selectFrom('data_keys').select('company_id').distinct().orderBy('company_id').execute(),
  );
  let unreadable = 0;
  for (const { company_id } of companies) {
    const isNew = await supersedeKey(parts, company_id);
    const result = await reseal(parts, company_id);
    unreadable += result.unreadable;
    const key = isNew ? 'a new key' : 'the change of its key goes on';
    print(`Company ${company_id}: ${key}; sealed again: ${result.done}, unreadable: ${result.unreadable}.`);
  }
  const open = (await companiesToReseal(parts)).length;
  if (open > 0) {
    print(`Companies whose former keys are still kept: ${open}. The server erases them an hour after the change.`);
  }
  return unreadable === 0;
}
