import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { anchorFile, openAnchors } from './platform/audit-anchors.ts';
import { type AuditHead, checkAudit, readAuditSeal } from './platform/audit-chain.ts';
import { noteAuditCheck } from './platform/audit-state.ts';
import { isoNow, systemClock } from './platform/clock.ts';
import type { Database } from './platform/database/database.ts';
import { openKeys } from './platform/keys.ts';

const { values: options } = parseArgs({
  options: {
    'accept-restore': { type: 'boolean', default: false },
    from: { type: 'string', default: '1' },
    to: { type: 'string' },
  },
});

/**
 * `npm run verify-audit`: checks the whole chain of the audit log, or the seals `--from N` `--to N`, and the anchors in
 * DATA_DIR. The exit code is 1 when it is broken. With `--accept-restore`, for use after a restore, anchors after the current end
 * no longer count.
 */
await runCommand(async ({ settings, db, secret }) => {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const keys = await openKeys(db, secret);
  const anchors = openAnchors(anchorFile(settings));
  if (options['accept-restore']) {
    const { broken, head } = await checkAudit({ db, keys });
    if (!broken) {
      await anchors.acceptRestore(head, isoNow(systemClock));
      print(`The chain as it is now, up to seal ${head.sealNo}, is accepted as restored.`);
    }
  }
  const { heads } = await anchors.read();
  const { after, upTo } = await readRange(db);
  const known = new Map([...heads].filter(([sealNo]) => sealNo > after.sealNo && sealNo <= upTo));
  const range = Number.isFinite(upTo) ? { after, upTo } : { after };
  const check = await checkAudit({ db, keys }, { ...range, anchors: known });
  await noteAuditCheck({ db }, check, { after, at: isoNow(systemClock) });
  const { broken, head, seals, rows } = check;
  if (broken) {
    const why = {
      changed: 'a row under it, or the seal, was changed',
      missing: 'it, or a row under it, is missing',
      'not-anchored': 'it is not the one that was anchored outside of the database',
    }[broken.why];
    print(`The audit log is broken at seal ${broken.sealNo}: ${why}. Up to seal ${head.sealNo} it is whole.`);
    return false;
  }
  print(
    `The audit log is whole: ${rows} rows under ${seals} seals, ${known.size} anchors. Head: ${head.sealNo} ${head.hash}`,
  );
  return true;
});

/** Reads the range of seals from the options. The hash of the seal before it is taken as given. */
async function readRange(db: Database): Promise<{ after: AuditHead; upTo: number }> {
  const [from, upTo] = [Number(options.from), options.to === undefined ? Number.POSITIVE_INFINITY : Number(options.to)];
  if (!Number.isSafeInteger(from) || from < 1 || !(upTo >= from))
    throw new Error('Name the seals by their numbers: --from N --to N, from 1.');
  const after = await readAuditSeal({ db }, from - 1);
  if (!after) throw new Error(`There is no seal ${from - 1} before this range.`);
  return { after, upTo };
}
