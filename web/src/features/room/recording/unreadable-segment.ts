import { wordsFor } from '../../../api/errors.ts';
import { texts } from './texts.ts';

/** This device cannot read a segment any more, for example after a loss of power. Another try would not help. */
export class UnreadableSegment extends Error {
  override readonly name = 'UnreadableSegment';
}

/** Why a segment was not uploaded. */
export const wordsForUpload = (error: unknown): string =>
  error instanceof UnreadableSegment ? texts.unreadable : wordsFor(error);
