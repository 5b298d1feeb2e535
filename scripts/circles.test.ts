import { expect, test } from 'vitest';
import { featureOf, featuresOf, findCircles, importsOf } from './circles.ts';

const graph = (edges: Record<string, string[]>) =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

test('findCircles: names the nodes that reach one another, and no others', () => {
  const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['a', 'g'], g: ['f'] };
  expect(findCircles(graph(edges))).toEqual([
    ['a', 'b', 'c'],
    ['f', 'g'],
  ]);
});

test('findCircles: finds none where all imports point one way', () => {
  expect(findCircles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
});

test('importsOf: counts types, lazy imports and our other workspaces, not packages', () => {
  const source = `import type { A } from './a.ts';
import { b } from '../b.ts';
const c = () => import('./c.tsx');
import { d } from '@roomside/contract/time.ts';
import pg from 'pg';`;
  expect(importsOf('web/src/x/y.ts', source)).toEqual([
    'web/src/x/a.ts',
    'web/src/b.ts',
    'web/src/x/c.tsx',
    'contract/src/time.ts',
  ]);
});

test('featureOf: is the folder of a feature, none for what features share', () => {
  expect(featureOf('server/src/features/room/chat-rows.ts')).toBe('server/src/features/room');
  expect(featureOf('contract/src/booking/calls.ts')).toBe('contract/src/booking');
  expect(featureOf('contract/src/time.ts')).toBeUndefined();
  expect(featureOf('server/src/features/calls.ts')).toBeUndefined();
});

test('featuresOf: joins the imports of a feature’s files', () => {
  const files = graph({
    'web/src/features/a/one.ts': ['web/src/features/b/x.ts', 'web/src/ui/y.ts'],
    'web/src/features/a/two.ts': ['web/src/features/a/one.ts'],
    'web/src/features/b/x.ts': [],
  });
  expect(featuresOf(files)).toEqual(graph({ 'web/src/features/a': ['web/src/features/b'], 'web/src/features/b': [] }));
});
