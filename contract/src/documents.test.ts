import { expect, test } from 'vitest';
import { documentAt, documentOf, documents, type PageDocument } from './documents.ts';

const cards: PageDocument = { path: '/cards', pages: /^\/pay(\/|$)/, sources: { 'frame-src': ['https://cards.test'] } };

test('documentOf: only the pages of a document are in it', () => {
  for (const page of ['/pay', '/pay/1', '/pay/1?x=2'])
    expect([page, documentOf(page, [cards])]).toEqual([page, '/cards']);
  for (const page of ['/', '', '/payments', '/link?to=/pay'])
    expect([page, documentOf(page, [cards])]).toEqual([page, '/']);
});

test('documentAt: an address without a document is the usual one', () => {
  expect(['/cards', '/cards/', '/', '/index.html', '/cards/x'].map((at) => documentAt(at, [cards]))).toEqual([
    '/cards',
    '/cards',
    '/',
    '/',
    '/',
  ]);
});

test('documents: name exact https origins only, except for WebAssembly', () => {
  const sources = documents.flatMap((document) => Object.values(document.sources).flat());
  expect(sources.filter((one) => !/^(https:\/\/[a-z0-9.-]+|'wasm-unsafe-eval')$/.test(one))).toEqual([]);
});
