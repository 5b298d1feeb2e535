// @vitest-environment node
import { recordingTypes } from '@roomside/contract/recordings/calls.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildStream } from './fake-recorder.ts';
import { canRecordHere, mediaTypeFor } from './media-type.ts';

/** What MediaRecorder.isTypeSupported accepts of the formats in use, by browser. */
const browsers = {
  // Debian's build, without an encoder for AAC.
  'Chromium 156': [
    'video/mp4;codecs=vp9,opus',
    'video/mp4;codecs=avc1,opus',
    'video/mp4;codecs=av01,opus',
    'video/mp4',
    'video/webm;codecs=vp9,opus',
    'video/webm;codecs=vp8,opus',
    'video/webm',
    'audio/mp4;codecs=opus',
    'audio/mp4',
    'audio/webm;codecs=opus',
    'audio/webm',
  ],
  // Chromium before version 126 records WebM only.
  'Chromium 111': [
    'video/webm;codecs=vp9,opus',
    'video/webm;codecs=vp8,opus',
    'video/webm',
    'audio/webm;codecs=opus',
    'audio/webm',
  ],
  'Firefox 140': [
    'video/webm;codecs=vp8,opus',
    'video/webm;codecs=vp8',
    'video/webm',
    'audio/webm;codecs=opus',
    'audio/webm',
    'audio/ogg;codecs=opus',
    'audio/ogg',
  ],
  'Safari 16.4': ['video/mp4;codecs=avc1,mp4a.40.2', 'video/mp4', 'audio/mp4;codecs=mp4a.40.2', 'audio/mp4'],
} as const;

const supportedBy = (browser: keyof typeof browsers) => (type: string) =>
  (browsers[browser] as readonly string[]).includes(type);

afterEach(() => vi.unstubAllGlobals());

describe('mediaTypeFor', () => {
  const both = buildStream('both');
  const sound = buildStream('sound', ['audio']);
  test.each([
    ['Chromium 156', 'video/mp4;codecs=vp9,opus', 'audio/mp4;codecs=opus'],
    ['Chromium 111', 'video/webm;codecs=vp9,opus', 'audio/webm;codecs=opus'],
    ['Firefox 140', 'video/webm;codecs=vp8,opus', 'audio/webm;codecs=opus'],
    ['Safari 16.4', 'video/mp4;codecs=avc1,mp4a.40.2', 'audio/mp4'],
  ] as const)('%s: records %s, and sound alone as %s', (browser, video, audio) => {
    expect(mediaTypeFor(both, supportedBy(browser))).toBe(video);
    expect(mediaTypeFor(sound, supportedBy(browser))).toBe(audio);
    // The server stores it under this type.
    for (const type of [video, audio]) expect(recordingTypes).toContain(type.split(';')[0]);
  });

  test('a stream without live tracks, or a browser without any format: has no media type', () => {
    expect(mediaTypeFor(buildStream('none', []), supportedBy('Chromium 156'))).toBeUndefined();
    expect(mediaTypeFor(both, () => false)).toBeUndefined();
  });
});

describe('canRecordHere', () => {
  test.each([
    ['Firefox 140', true],
    ['Safari 16.4', true],
    [undefined, false],
  ] as const)('%s: %s', (browser, can) => {
    vi.stubGlobal('indexedDB', {});
    vi.stubGlobal('MediaRecorder', { isTypeSupported: browser ? supportedBy(browser) : () => false });
    expect(canRecordHere()).toBe(can);
  });

  test('browser without MediaRecorder or storage: returns false', () => {
    vi.stubGlobal('indexedDB', {});
    vi.stubGlobal('MediaRecorder', undefined);
    expect(canRecordHere()).toBe(false);
    vi.stubGlobal('MediaRecorder', { isTypeSupported: () => true });
    vi.stubGlobal('indexedDB', undefined);
    expect(canRecordHere()).toBe(false);
  });
});
