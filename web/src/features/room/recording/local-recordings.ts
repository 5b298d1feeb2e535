import { currentSignIn, onSignInChange } from '../../../api/sign-in.ts';
import { holdSignOut } from '../../../form/hold-sign-out.ts';
import { systemClock } from '../core/clock.ts';
import { segmentStore } from './device-segments.ts';
import type { Segment } from './segment-store.ts';
import { texts } from './texts.ts';
import { UploadQueue } from './upload-queue.ts';
import { uploadSegment } from './upload-segment.ts';

/** Identifies this page load. While it lives it holds a lock of this name, by which other pages see that it records. */
export const pageId = `recording:${crypto.randomUUID()}`;

/** The user whose recordings this page makes and uploads; undefined without a member of staff. */
export function currentOwner(): string | undefined {
  const signIn = currentSignIn();
  return signIn.kind === 'staff' && signIn.status === 'in' && signIn.claims.company
    ? `${signIn.claims.company}:${signIn.claims.sub}`
    : undefined;
}

/** The uploads of this page. They continue when the room is left for another page of the application. */
export const uploadQueue = new UploadQueue({
  store: segmentStore,
  owner: currentOwner,
  upload: (segment, onProgress) => uploadSegment(segmentStore, segment, onProgress),
  clock: systemClock,
});

addEventListener('online', () => uploadQueue.retryNow());
let owner = currentOwner();
onSignInChange(() => {
  const next = currentOwner();
  if (next === owner) return;
  owner = next;
  uploadQueue.clear();
});

let isLocked = false;
/** Holds this page's lock until the page is gone. */
export function holdPageLock(): void {
  if (isLocked || !('locks' in navigator)) return;
  isLocked = true;
  void navigator.locks.request(pageId, () => new Promise(() => {}));
}

/**
 * Returns the user's segments whose page is gone (a killed browser, a reload), and those of this page that no upload has. Ends
 * those that were not ended: they are complete up to their last chunk.
 */
export async function listUnfinished(of: string): Promise<Segment[]> {
  const all = await segmentStore.list(of);
  const held = 'locks' in navigator ? ((await navigator.locks.query()).held ?? []) : [];
  const pages = new Set(held.map(({ name }) => name));
  const left: Segment[] = [];
  for (const segment of all) {
    const isOwn = segment.page === pageId;
    if (uploadQueue.isClaimed(segment.id) || (isOwn ? segment.stopped === null : pages.has(segment.page))) continue;
    if (segment.stopped !== null) left.push(segment);
    else if (await segmentStore.finish(segment.id, segment.lastAt)) left.push({ ...segment, stopped: segment.lastAt });
  }
  return left;
}

// STATE-17. The uploads also go on after the room.
holdSignOut(() => (uploadQueue.view.get().left > 0 ? texts.uploading : undefined));
