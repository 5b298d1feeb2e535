import { runCommand } from './command.ts';
import { anchorFile, openAnchors } from './platform/audit-anchors.ts';
import { checkAudit } from './platform/audit-chain.ts';
import { isoNow, systemClock } from './platform/clock.ts';
import { openKeys } from './platform/keys.ts';

/**
 * `npm run verify-audit`: checks the whole chain of the audit log and the anchors in DATA_DIR. The exit code is 1 when it is
 * broken. With `--accept-restore`, for use after a restore, anchors after the current end no longer count.
 */
await runCommand(async ({ settings, db, secret }) => {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const keys = await openKeys(db, secret);
  const anchors = openAnchors(anchorFile(settings));
  if (process.argv.slice(2).includes('--accept-restore')) {
    const { broken, head } = await checkAudit({ db, keys });
    if (!broken) {
      await anchors.acceptRestore(head, isoNow(systemClock));
      print(`The chain as it is now, up to seal ${head.sealNo}, is accepted as restored.`);
    }
  }
  const known = await anchors.read();
  const { broken, head, seals, rows } = await checkAudit({ db, keys }, { anchors: known });
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
