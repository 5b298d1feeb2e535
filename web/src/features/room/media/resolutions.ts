import type { VideoWish } from './media-state.ts';

/** CONST-6: the sizes of a camera that can be chosen. */
export const resolutions = [
  { id: 'qvga', name: 'QVGA', lines: '240p', width: 320, height: 240 },
  { id: 'sd', name: 'SD', lines: '480p', width: 640, height: 480 },
  { id: 'hd', name: 'HD', lines: '720p', width: 1280, height: 720 },
  { id: 'fullhd', name: 'FullHD', lines: '1080p', width: 1920, height: 1080 },
  { id: 'uhd', name: '4k UHD', lines: '2160p', width: 3840, height: 2160 },
] as const;
export type Resolution = (typeof resolutions)[number];

/** CONST-5: 480p. */
export const defaultResolution: Resolution = resolutions[1];

/** The constraints of type 5 for a resolution. */
export const wishOf = ({ width, height }: Pick<Resolution, 'width' | 'height'>): VideoWish => ({
  width: { ideal: width },
  height: { ideal: height },
});
