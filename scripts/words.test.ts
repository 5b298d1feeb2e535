import { describe, expect, test } from 'vitest';
import { findWords } from './words.ts';

const wordsOf = (text: string) => findWords('a.ts', text).map(({ line, word }) => `${line} ${word}`);

describe('findWords', () => {
  test('names each word with its line', () => {
    expect(wordsOf('fine\n// Nobody waits, and whoever comes is told at once.')).toEqual([
      '2 whoever',
      '2 Nobody',
      '2 is told',
      '2 at once',
    ]);
  });

  test.each([
    ['const feeMost = 1', ['1 feeMost']],
    ['at most three', []],
    ['as soon as the commit is done', []],
    ['soon afterwards', ['1 soon']],
    ['the patient stays, a page stays open', []],
    ['a stay of one device', ['1 a stay']],
    ['his own company', ['1 his']],
    ['this history, there', []],
    ['the room is next door', []],
    ["kind: 'door'", ['1 door']],
  ])('%s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test('leaves texts of the specification as they are', () => {
    expect(wordsOf("'Your provider will be with you soon, please do not close this window'")).toEqual([]);
  });
});
