import { requestAppointment } from '@roomside/contract/booking/calls.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { renderScreen } from '../testing/render.tsx';
import { fakeServer, problem } from '../testing/server.ts';
import { useChange } from './use-call.ts';

function Form() {
  const [wish, setWish] = useState('mornings');
  const request = useChange(requestAppointment, { success: 'Sent' });
  const who = { firstName: 'Ann', lastName: "O'Hara", doB: '1990-01-02', phone: '', email: 'ann@example.test' };
  const input = { params: { companyUid: '0'.repeat(32) }, body: { doctorId: 0, wish, ...who } };
  return (
    <form onSubmit={(event) => [event.preventDefault(), request.mutate(input)]}>
      <input aria-label="Wish" value={wish} onChange={(event) => setWish(event.target.value)} />
      <button type="submit">Send</button>
    </form>
  );
}

test('creation with a lost response: is not repeated with a new key, even after the form was changed', async () => {
  const path = `POST /api/booking/${'0'.repeat(32)}/request`;
  const server = fakeServer({
    [path]: () => {
      throw new TypeError('The network is away.');
    },
  });
  renderScreen(<Form />);
  const send = () => fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  /** Expects one toast and closes it. */
  const says = async (text: string) => {
    await screen.findByText(text);
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  };
  send();
  await says('You seem offline. Check your connection and try again.');
  server.handlers[path] = () => problem(409, 'key-reused');
  fireEvent.change(screen.getByLabelText('Wish'), { target: { value: 'evenings' } });
  send();
  await says(refusals['key-reused'].text);
  server.handlers[path] = () => ({});
  send();
  await says('Sent');
  send();
  await expect.poll(() => server.asked).toHaveLength(4);
  const [first, second, third, fourth] = server.asked.map(({ headers }) => headers.get('idempotency-key'));
  expect(second).toBe(first);
  expect(new Set([first, third, fourth]).size).toBe(3);
});
