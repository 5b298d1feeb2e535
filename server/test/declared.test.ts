import { call } from '@roomside/contract/call.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { requireDeclared } from './declared.ts';

const visit = z.object({ id: z.number(), patient: z.object({ name: z.string() }) });
const listVisits = call({
  ...{ name: 'listVisits', summary: '', method: 'GET', path: '/visits', who: 'anyone' },
  result: z.object({ data: z.array(visit), next: z.nullable(z.union([z.string(), visit])) }),
});
const exportVisits = call({ ...listVisits, format: 'text/csv', result: undefined });
const deleteVisit = call({ ...listVisits, method: 'DELETE', result: undefined });

const json = (value: unknown) => ({
  ...{ status: 200, type: 'application/json; charset=utf-8', json: value },
  text: JSON.stringify(value),
});
const good = { id: 1, patient: { name: 'Pat' } };

describe('an answer to a test', () => {
  test('that is what the contract declares passes', () => {
    requireDeclared(listVisits, json({ data: [good], next: good }));
    requireDeclared(exportVisits, { status: 200, type: 'text/csv; charset=utf-8', text: 'a,b', json: undefined });
    requireDeclared(deleteVisit, { status: 204, type: '', text: '', json: undefined });
  });

  test.each([
    ['a field too many, at any depth', { data: [{ ...good, patient: { name: 'Pat', ssn: '1' } }], next: null }],
    ['a field too many in one of several shapes', { data: [], next: { ...good, ssn: '1' } }],
  ])('with %s fails and names the path without the value', (_what, value) => {
    expect(() => requireDeclared(listVisits, json(value))).toThrow(/^listVisits .*ssn: not declared$/);
  });

  test.each([
    ['without a declared field', listVisits, json({ data: [{ id: 1 }], next: null })],
    ['of another media type', exportVisits, { status: 200, type: 'text/html', text: '', json: undefined }],
    ['of another status', listVisits, { ...json({ data: [], next: null }), status: 201 }],
    ['with a body where none is declared', deleteVisit, json({})],
  ])('%s fails', (_what, asked, received) => {
    expect(() => requireDeclared(asked, received)).toThrow('differs from its contract');
  });
});
