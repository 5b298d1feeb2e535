import { bookingBody } from '@roomside/contract/booking/calls.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ProblemError } from '../../api/problem.ts';
import { useFieldErrors } from './field-errors.ts';
import { texts } from './texts.ts';

const valid = {
  holdUid: 'a'.repeat(32),
  firstName: 'Ada',
  lastName: 'Ames',
  doB: '1990-05-17',
  phone: '',
  email: 'ada@example.test',
};

/** The errors of a booking while its values change. */
function renderErrors(values: Partial<typeof valid>) {
  const { result, rerender } = renderHook((value: typeof valid) => useFieldErrors(bookingBody, value), {
    initialProps: { ...valid, ...values },
  });
  return { result, type: (typed: Partial<typeof valid>) => rerender({ ...valid, ...values, ...typed }) };
}

test('field with an error: is checked while it changes; the others at the next submit', () => {
  const { result, type } = renderErrors({ firstName: '', email: 'ada@' });
  expect(result.current.errors).toEqual({});
  act(() => expect(result.current.check()).toBe(false));
  expect(Object.keys(result.current.errors)).toEqual(['firstName', 'email']);
  type({ firstName: 'Ada', lastName: '' });
  expect(Object.keys(result.current.errors)).toEqual(['email']);
  expect(result.current.failure).toBe(texts.fix);
  type({ firstName: 'Ada', email: 'ada@example' });
  expect(Object.keys(result.current.errors)).toEqual(['email']);
  type({ firstName: 'Ada', email: 'ada@example.test' });
  expect(result.current).toMatchObject({ errors: {}, failure: undefined });
});

test('missing contact: a phone corrects the error that is shown at the email', () => {
  const { result, type } = renderErrors({ email: '' });
  act(() => void result.current.check());
  expect(Object.keys(result.current.errors)).toEqual(['email']);
  type({ phone: '2125550142' });
  expect(result.current).toMatchObject({ errors: {}, failure: undefined });
});

test('error of the server: stays until its field changes', () => {
  const { result, type } = renderErrors({ firstName: '4111 1111 1111 1111' });
  const text = refusals['card-number'].text;
  const error = new ProblemError({ status: 422, code: 'card-number', title: text, fields: { firstName: text } });
  act(() => result.current.refuse(error));
  type({ lastName: 'Adams' });
  expect(result.current).toMatchObject({ errors: { firstName: text }, failure: text });
  type({ firstName: 'Ada' });
  expect(result.current).toMatchObject({ errors: {}, failure: undefined });
});
