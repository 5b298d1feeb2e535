import { call } from '@roomside/contract/call.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { requireDeclared } from './declared.ts';

const visit = z.object({ id: z.number(), patient: z.object({ name: z.string() }) });
const listVisits = call({
  name: 'listVisits',
  summary: '',
  method: 'GET',
  path: '/visits',
  who: 'anyone',
  result: z.object({ data: z.array(visit), next: z.nullable(z.union([z.string(), visit])) }),
});
const exportVisits = call({ ...listVisits, format: 'text/csv', result: undefined });
const deleteVisit = call({ ...listVisits, method: 'DELETE', result: undefined });

const json = (value: unknown) => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  json: value,
  text: JSON.stringify(value),
});
const good = { id: 1, patient: { name: 'Pat' } };

describe('requireDeclared', () => {
  test('a response that matches the contract: passes', () => {
    requireDeclared(listVisits, json({ data: [good], next: good }));
    requireDeclared(exportVisits, { status: 200, type: 'text/csv; charset=utf-8', text: 'a,b', json: undefined });
    requireDeclared(deleteVisit, { status: 204, type: '', text: '', json: undefined });
  });

  test.each([
    ['an undeclared field at any depth', { data: [{ ...good, patient: { name: 'Pat', ssn: '1' } }], next: null }],
    ['an undeclared field in a union', { data: [], next: { ...good, ssn: '1' } }],
  ])('%s: throws with the path and without the value', (_what, value) => {
    expect(() => requireDeclared(listVisits, json(value))).toThrow(/^listVisits .*ssn: not declared$/);
  });

  test.each([
    ['a missing field', listVisits, json({ data: [{ id: 1 }], next: null })],
    ['another media type', exportVisits, { status: 200, type: 'text/html', text: '', json: undefined }],
    ['another status', listVisits, { ...json({ data: [], next: null }), status: 201 }],
    ['an undeclared body', deleteVisit, json({})],
  ])('%s: throws', (_what, call, received) => {
    expect(() => requireDeclared(call, received)).toThrow('differs from its contract');
  });
});
