import { expect, test } from 'vitest';
import { loadDocumentOf } from './own-document.ts';

const cards = [{ path: '/cards', pages: /^\/pay\// }] as const;

test.each([
  ['/', '#/link', '/pay/1', false, 'assign /cards#/pay/1'],
  ['/cards', '#/pay/1', '/link?x=1', false, 'assign /#/link?x=1'],
  ['/cards', '#/pay/1', '/pay/2', false, undefined],
  ['/', '', '/link', false, undefined],
  // The way back would lead to the same document again.
  ['/', '#/pay/1', '/pay/1', false, 'replace /cards#/pay/1'],
  ['/cards', '#/pay/1', '/link', true, 'replace /#/link'],
])('document %s at %s, the page %s (a step: %s): loads %s', (pathname, hash, page, isStep, loaded) => {
  const calls: string[] = [];
  const place = {
    pathname,
    hash,
    assign: (url: string | URL) => void calls.push(`assign ${url}`),
    replace: (url: string | URL) => void calls.push(`replace ${url}`),
  };
  expect(loadDocumentOf(page, isStep, cards, place)).toBe(loaded !== undefined);
  expect(calls).toEqual(loaded === undefined ? [] : [loaded]);
});
