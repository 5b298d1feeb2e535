import type { Quality } from './quality.ts';

/** What is sent as video at most. */
export interface VideoLimits {
  readonly scaleResolutionDownBy: number;
  /** Bits per second. */
  readonly maxBitrate: number;
  /** Frames per second. */
  readonly maxFramerate: number;
}

/** From the whole picture of the camera to a small one. Sound has no limit and needs about 100 kbit/s with RED. */
export const videoSteps: readonly VideoLimits[] = [
  { scaleResolutionDownBy: 1, maxBitrate: 4_000_000, maxFramerate: 30 },
  { scaleResolutionDownBy: 1.5, maxBitrate: 400_000, maxFramerate: 24 },
  { scaleResolutionDownBy: 2, maxBitrate: 180_000, maxFramerate: 15 },
  { scaleResolutionDownBy: 4, maxBitrate: 70_000, maxFramerate: 8 },
];

/** Time of poor quality before the next step down, and of good quality before a step up, ms. */
const waitMs = { down: 4_000, up: 20_000 } as const;

/** The step in use, and since when the quality has been what it is. */
export interface VideoStep {
  readonly step: number;
  readonly quality: Quality;
  readonly since: number;
}

export const firstVideoStep: VideoStep = { step: 0, quality: 'good', since: 0 };

/** The step after the other side has reported how the video arrives: quickly down, slowly up. `now` in ms. */
export function nextVideoStep(current: VideoStep, quality: Quality, now: number): VideoStep {
  if (quality !== current.quality) return { ...current, quality, since: now };
  const lasted = now - current.since;
  if (quality === 'poor' && lasted >= waitMs.down && current.step < videoSteps.length - 1)
    return { quality, step: current.step + 1, since: now };
  if (quality === 'good' && lasted >= waitMs.up && current.step > 0)
    return { quality, step: current.step - 1, since: now };
  return current;
}
