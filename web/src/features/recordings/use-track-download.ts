import type { Recording } from '@roomside/contract/recordings/calls.ts';
import { useEffect, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { useLeaveQuestion } from '../../form/use-unsaved.ts';
import { toast } from '../../ui/toast.ts';
import { openDownload } from './download-file.ts';
import { texts } from './texts.ts';
import { hasGaps, planSegments } from './track-plan.ts';
import { containerOf, fileNameOf, segmentsOf } from './track-segments.ts';

interface TrackDownload {
  /** How far it is; undefined when none is under way. */
  readonly percent: number | undefined;
  /** Call it in the handler of a click. */
  start(): Promise<void>;
  cancel(): void;
}

const words = texts.trackDownload;

/** The download of a track as one file. It is cancelled when the tile is gone; leaving the page asks first. */
export function useTrackDownload(appointmentId: number, recording: Recording, name: string): TrackDownload {
  const [percent, setPercent] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useLeaveQuestion(percent !== undefined, words.leave);
  useEffect(() => () => running.current?.abort(), []);

  async function start() {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    const container = containerOf(recording);
    try {
      const file = await openDownload({ name: fileNameOf(recording), type: `video/${container}` });
      if (!file) return;
      setPercent(0);
      try {
        const { downloadTrack } = await import('./download-track.ts');
        const onProgress = (part: number) => setPercent(Math.floor(part * 100));
        await downloadTrack({ appointmentId, recording, container, file, onProgress, signal: controller.signal });
        toast.success(hasGaps(planSegments(segmentsOf(recording))) ? words.doneWithGaps(name) : words.done(name));
      } catch (error) {
        await file.discard();
        if (!controller.signal.aborted) toast.error(wordsOf(error));
      }
    } catch (error) {
      toast.error(wordsOf(error));
    } finally {
      running.current = undefined;
      setPercent(undefined);
    }
  }
  return { percent, start, cancel: () => running.current?.abort() };
}

function wordsOf(error: unknown): string {
  switch ((error as Error | null)?.name) {
    case 'NotJoinable':
      return words.notJoinable;
    case 'QuotaExceededError':
      return words.full;
    default:
      return words.failed(wordsFor(error));
  }
}
