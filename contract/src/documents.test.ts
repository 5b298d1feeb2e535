import { expect, test } from 'vitest';
import { documentSources } from './document-sources.ts';
import { documentAt, documentOf, documents, type PageDocument } from './documents.ts';

const cards: PageDocument = { path: '/cards', pages: /^\/pay(\/|$)/ };

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

test('documents: the pages where a card is entered are in one, and no other page', () => {
  const uid = '0123456789abcdef0123456789abcdef';
  for (const page of [`/patient-payment/${uid}`, '/admin/payment', '/admin/payment/7', '/admin/payment?x=1'])
    expect([page, documentOf(page)]).toEqual([page, '/pay']);
  for (const page of [
    '/',
    '/link',
    '/patient',
    `/receipt/${uid}`,
    `/appointment/${uid}/pt`,
    '/admin/payments',
    '/login',
  ])
    expect([page, documentOf(page)]).toEqual([page, '/']);
});

test('documents: name exact https origins only, except for WebAssembly and frames of our own', () => {
  expect(documentSources.map(({ path }) => path)).toEqual(documents.map(({ path }) => path));
  const sources = documentSources.flatMap((document) => Object.values(document.sources).flat());
  expect(sources.filter((one) => !/^(https:\/\/[a-z0-9.-]+|'wasm-unsafe-eval'|'self')$/.test(one))).toEqual([]);
});
