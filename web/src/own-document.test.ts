import { expect, test } from 'vitest';
import { loadDocumentOf } from './own-document.ts';

const cards = [{ path: '/cards', pages: /^\/pay\//, sources: {} }] as const;

test.each([
  ['/', '/pay/1', '/cards#/pay/1'],
  ['/cards', '/link?x=1', '/#/link?x=1'],
  ['/cards', '/pay/2', undefined],
  ['/', '/link', undefined],
])('in the document %s, the page %s: loads %s', (pathname, page, loaded) => {
  const assigned: (string | URL)[] = [];
  const place = { pathname, assign: (url: string | URL) => void assigned.push(url) };
  expect(loadDocumentOf(page, cards, place)).toBe(loaded !== undefined);
  expect(assigned).toEqual(loaded === undefined ? [] : [loaded]);
});
