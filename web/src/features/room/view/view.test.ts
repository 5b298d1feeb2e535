import { describe, expect, test } from 'vitest';
import { resolutions } from '../media/resolutions.ts';
import { helpToAllow } from './device-texts.ts';
import { levelOf } from './LevelMeter.tsx';
import { timerView } from './room-timer.ts';
import { keyOf } from './use-shortcuts.ts';
import { chatGivesWay, gridColumns, initialsOf } from './video-grid.ts';

describe('the visit timer', () => {
  const start = Date.parse('2026-11-21T14:00:00Z');
  const at = (seconds: number, more = {}) =>
    timerView({ startsAt: start, joinedAt: start - 600_000, limit: 30, now: start + seconds * 1000, ...more });

  test('counts down from the limit, orange in the last 60 s, red when overdue', () => {
    expect(at(0)).toEqual({ text: '30:00', state: 'left' });
    expect(at(29 * 60 - 1)).toEqual({ text: '1:01', state: 'left' });
    expect(at(29 * 60)).toEqual({ text: '1:00', state: 'last' });
    expect(at(30 * 60)).toEqual({ text: '0:00', state: 'last' });
    expect(at(30 * 60 + 65)).toEqual({ text: '1:05', state: 'over' });
    expect(at(0, { limit: 90 })).toEqual({ text: '1:30:00', state: 'left' });
  });

  test('visit timer: counts from the later of start and join, waits before it, and shows elapsed time without a limit', () => {
    expect(at(600, { joinedAt: start + 540_000 })).toEqual({ text: '29:00', state: 'left' });
    expect(at(-300)).toEqual({ text: '30:00', state: 'left' });
    expect(at(3_725, { limit: 0 })).toEqual({ text: '1:02:05', state: 'plain' });
  });
});

test('grid columns: one per peer up to 3, two for 4, three for more @CONST-5', () => {
  expect([0, 1, 2, 3, 4, 5, 9].map(gridColumns)).toEqual([1, 1, 2, 3, 2, 3, 3]);
});

test('chat: closes for the videos on a small screen or with more than two peers', () => {
  const at = (smallScreen: boolean, peers: number, hasFeed = true) => chatGivesWay({ smallScreen, peers, hasFeed });
  expect([at(false, 1), at(false, 2), at(false, 3), at(true, 1), at(true, 0, false)]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('initials: are the first letters of both names', () => {
  expect(['Olivia O’Brien', 'Ann de la Cruz', 'Zoé', ''].map(initialsOf)).toEqual(['OO', 'AC', 'Z', '']);
});

test('help for a refused camera: names the place in the browser', () => {
  expect(helpToAllow('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Safari/604.1')).toContain('Website Settings');
  expect(helpToAllow('Mozilla/5.0 (X11) Gecko/20100101 Firefox/140.0')).toContain('Firefox');
  expect(helpToAllow('Mozilla/5.0 (Linux; Android 15) Chrome/153.0 Mobile Safari/537.36')).toContain('tap');
  expect(helpToAllow('Mozilla/5.0 (Macintosh) Version/18.0 Safari/605.1')).toContain('In Safari');
});

test('resolutions: are those of the specification', () => {
  expect(resolutions.map(({ name, lines, width, height }) => `${name} ${lines} ${width}x${height}`)).toEqual([
    'QVGA 240p 320x240',
    'SD 480p 640x480',
    'HD 720p 1280x720',
    'FullHD 1080p 1920x1080',
    '4k UHD 2160p 3840x2160',
  ]);
});

test('keys: letters do not depend on the case, and Shift is named for them only', () => {
  const at = (key: string, shiftKey = false) => keyOf({ key, shiftKey });
  expect([at('m'), at('M'), at('E', true), at('?', true)]).toEqual(['M', 'M', 'Shift+E', '?']);
});

test('level of a microphone: is 0 for silence, 1 for full scale, and a half at -30 dB', () => {
  const of = (value: number) => levelOf(new Float32Array(8).fill(value));
  expect([of(0), of(1), of(0.0001)]).toEqual([0, 1, 0]);
  expect(of(10 ** (-30 / 20))).toBeCloseTo(0.5);
});
