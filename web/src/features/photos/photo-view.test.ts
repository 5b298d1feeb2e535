import { expect, test } from 'vitest';
import { fitted, pan, swipeOf, turn, zoomAt } from './photo-view.ts';

const stage = { width: 800, height: 600 };

test('zoomAt: keeps the point where it is, from fitted to eight times', () => {
  const point = { x: 100, y: -50 };
  const doubled = zoomAt(fitted, 2, stage, point);
  expect(doubled).toEqual({ scale: 2, x: -100, y: 50, turns: 0 });
  expect(zoomAt(doubled, 0.5, stage, point)).toEqual(fitted);
  expect(zoomAt(fitted, 100, stage).scale).toBe(8);
  expect(zoomAt(doubled, 0.01, stage)).toEqual(fitted);
});

test('pan: moves no further than the edges of the photo', () => {
  const doubled = zoomAt(fitted, 2, stage);
  expect(pan(doubled, { x: 100, y: 100 }, stage)).toMatchObject({ x: 100, y: 100 });
  expect(pan(doubled, { x: -5000, y: 5000 }, stage)).toMatchObject({ x: -400, y: 300 });
  expect(pan(fitted, { x: 100, y: 100 }, stage)).toEqual(fitted);
});

test('turn: turns clockwise and fits', () => {
  expect(turn(turn(zoomAt(fitted, 3, stage)))).toEqual({ ...fitted, turns: 2 });
});

test.each([
  [{ x: 80, y: 10 }, 'previous'],
  [{ x: -80, y: 10 }, 'next'],
  [{ x: 40, y: 0 }, undefined],
  [{ x: 80, y: 70 }, undefined],
])('swipe by %j: %s', (by, expected) => expect(swipeOf(by)).toBe(expected));
