import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Person } from '../call/room-view.ts';
import { fakeClock } from '../core/fake-clock.ts';
import { createStore } from '../core/store.ts';
import type { Room } from '../create-room.ts';
import { Transfers } from '../files/transfers.ts';
import { TransferList } from './TransferList.tsx';

const guest = { peerId: 'G_6_tablet', name: 'Maria Lopez (interpreter)' } as Person;
const patient = { peerId: 'P_5_phone', name: 'Ann Lee', link: 'arriving' } as Person;

afterEach(cleanup);

test.each([
  ['only a guest', [guest], true, []],
  ['a guest and a patient who gets ready', [guest, patient], false, ['To Ann Lee · 1 kB']],
])('%s in the room: files are sent to all but guests, and each is in the list', (_who, people, disabled, sent) => {
  let ids = 0;
  const transfers = new Transfers({ isPatient: false, clock: fakeClock(), newId: () => `transfer-${++ids}` });
  // The list reads nothing else of the room.
  const room = { session: { view: createStore({ people }) }, transfers } as unknown as Room;
  render(<TransferList room={room} isPatient={false} />);
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send a file' });
  expect(send.disabled).toBe(disabled);
  fireEvent.change(screen.getByLabelText('Send a file', { selector: 'input' }), {
    target: { files: [new File(['text'], 'note.txt')] },
  });
  expect(screen.queryAllByText(/^To /).map(({ textContent }) => textContent)).toEqual(sent);
});
