import { useEffect } from 'react';
import { currentSignIn, onSignInChange, useSignIn } from '../../api/sign-in.ts';
import { isClinicStaff, personOf } from '../../api/sign-in-state.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { choose, confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { mayHaveRecordings } from '../room/recording/stored-recordings.ts';
import { wordsForUpload } from '../room/recording/unreadable-segment.ts';
import { texts } from './texts.ts';

const words = texts.unfinished;

/** Offers to finish uploads that a closed or killed browser has left on this device, once for each sign-in of this page. */
export function UnfinishedRecordings() {
  const signIn = useSignIn();
  const person = isClinicStaff(signIn) ? personOf(signIn) : undefined;
  useEffect(() => {
    if (person !== undefined) void offer();
  }, [person]);
  return null;
}

/** The people who were asked since they signed in. */
const asked = new Set<string>();
onSignInChange(() => {
  if (currentSignIn().status === 'out') asked.clear();
});

async function offer(): Promise<void> {
  if (!(await mayHaveRecordings())) return;
  const local = await import('../room/recording/local-recordings.ts');
  const owner = local.currentOwner();
  if (owner === undefined || asked.has(owner)) return;
  asked.add(owner);
  const segments = await local.listUnfinished(owner).catch(() => []);
  const [first] = segments;
  if (!first) return;
  const ids = segments.map(({ id }) => id);
  const zone = ownZone();
  const answer = await choose({
    text: words.question(formatDateTime(new Date(first.started).toISOString(), zone, zone)),
    details: [words.more(segments.length)],
    across: true,
    choices: [
      { value: 'delete', label: words.delete, look: 'quiet' },
      { value: 'later', label: words.later, look: 'quiet' },
      { value: 'upload', label: words.upload, look: 'primary' },
    ],
  });
  // Someone else may have signed in meanwhile.
  if (local.currentOwner() !== owner) return;
  if (answer === 'delete') {
    if (
      !(await confirm({ text: words.sure, details: [words.sureNote], yes: words.delete, no: texts.keep, danger: true }))
    )
      return;
    const { segmentStore } = await import('../room/recording/device-segments.ts');
    for (const id of ids) await segmentStore.remove(id);
    return;
  }
  if (answer !== 'upload') return;
  toast.info(words.uploading, { across: 'all' });
  let refusedSome = false;
  const stop = local.uploadQueue.onDone(({ refused, left }) => {
    if (refused) {
      refusedSome = true;
      toast.error(words.refused(wordsForUpload(refused)), { across: 'all' });
    }
    if (left > 0) return;
    stop();
    if (!refusedSome) toast.success(words.uploaded, { across: 'all' });
  });
  await local.uploadQueue.add(ids);
}
