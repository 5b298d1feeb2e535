import { expect, test } from 'vitest';
import { allCalls } from '../calls.ts';
import { auditActions, auditActionsOf, auditText } from './actions.ts';

test('auditActions: has words for every call, each once, and tells reads from changes as the call does', () => {
  const names = allCalls.map(({ name }) => name);
  expect(names.filter((name) => !(name in auditActions))).toEqual([]);
  const texts = Object.values(auditActions).map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  const signing = auditActionsOf('signed');
  const wrong = allCalls.filter(({ name, method }) => {
    const kind = auditActions[name]?.kind;
    return !signing.includes(name) && (kind === 'viewed') !== (method === 'GET');
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('auditText: an unknown action is shown by its name', () => {
  expect(auditText('getPatient')).toBe('Viewed a patient’s record');
  expect(auditText('fromTheFuture')).toBe('fromTheFuture');
});
