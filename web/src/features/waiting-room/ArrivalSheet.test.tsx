import type { ArrivalInfo } from '@roomside/contract/room/messages.ts';
import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { fakeServer } from '../../testing/server.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { ArrivalSheet } from './ArrivalSheet.tsx';

beforeAll(ensureTemporal);
beforeEach(() => {
  fakeServer({});
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const arrivalOf = (lastName: string): ArrivalInfo => ({
  appointmentId: lastName.length,
  appointmentUid: lastName,
  doctorId: 7,
  patient: { firstName: 'Ann', lastName },
  doctor: { firstName: 'Maya', lastName: 'Reyes' },
  startDate: '2031-01-01T15:00:00.000Z',
  noCamera: false,
});

function Sheets() {
  const [arrivals, setArrivals] = useState([arrivalOf('Lee'), arrivalOf('Stone')]);
  return (
    <ArrivalSheet arrivals={arrivals} onDone={(done) => setArrivals((all) => all.filter((one) => one !== done))} />
  );
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const isShown = (name: string) => screen.queryByText(name) !== null;

test('arrival: closes after 10 s, and the next one is shown as long @ARRIVAL-1', async () => {
  renderScreen(<Sheets />);
  await pass(9_999);
  expect(isShown('Ann Lee')).toBe(true);
  await pass(1);
  expect(isShown('Ann Lee')).toBe(false);
  expect(isShown('Ann Stone')).toBe(true);
  await pass(10_000);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('arrival: stays while a button has the focus, and for 10 s after it', async () => {
  renderScreen(<Sheets />);
  await pass(9_000);
  const ignore = screen.getByRole('button', { name: 'Ignore' });
  fireEvent.focus(ignore);
  await pass(60_000);
  expect(isShown('Ann Lee')).toBe(true);
  fireEvent.blur(ignore);
  await pass(9_999);
  expect(isShown('Ann Lee')).toBe(true);
  await pass(1);
  expect(isShown('Ann Lee')).toBe(false);
});
