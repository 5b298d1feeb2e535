import { expect, test } from 'vitest';
import { wordsForConnection } from './connection-words.ts';

test.each([
  [600, 20, 0, 0, 'Good'],
  [600, 20, 0, 1, 'Good, 1 short interruption'],
  [60, 40, 0, 2, 'Fair, 2 short interruptions'],
  [60, 0, 40, 0, 'Poor'],
  [0, 0, 0, 0, 'Good'],
])(
  '%i s good, %i s fair, %i s poor and %i interruptions: %s',
  (goodSeconds, fairSeconds, poorSeconds, interruptions, words) => {
    expect(wordsForConnection({ goodSeconds, fairSeconds, poorSeconds, interruptions, relayed: false })).toBe(words);
  },
);
