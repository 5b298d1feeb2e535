import 'temporal-polyfill/global';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { SlotPicker } from './SlotPicker.tsx';

const starts = ['04:30', '05:30', '06:30'].map((time) => `2026-11-01T${time}:00.000Z`);

/** The picker on the night on which New York's clocks go back, with what it has chosen. */
function Night() {
  const form = useForm({ defaultValues: { doctorId: 2, date: '2026-11-01', time: '01:30', minutes: '30' } });
  const [slot, setSlot] = useState('2026-01-05T14:30:00.000Z');
  return (
    <FormProvider {...form}>
      <SlotPicker appointmentId={0} zone="America/New_York" slot={slot} onSlot={setSlot} onRead={() => {}} />
      <output>{slot}</output>
    </FormProvider>
  );
}

test('hour that the clocks repeat: both starts have their zone, and the chosen one is the only one that is checked', async () => {
  fakeServer({
    'GET /api/schedule/slots': () => ({ data: starts.map((startDate) => ({ startDate, free: true })), off: null }),
  });
  startSignIn('staff', accessToken());
  renderScreen(<Night />);
  const first = await screen.findByRole('radio', { name: '1:30 AM EDT' });
  const second = screen.getByRole('radio', { name: '1:30 AM EST' });
  expect(screen.getAllByRole('radio', { checked: true })).toEqual([first]);
  await userEvent.click(second);
  expect(screen.getAllByRole('radio', { checked: true })).toEqual([second]);
  expect(screen.getByRole('status').textContent).toBe(starts[2]);
});
